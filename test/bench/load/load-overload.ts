import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { gateRefusals } from '#src/venues/whitebit/contract/wire/refusals.ts'
import type { MeasuredRow } from '#test/bench/runner/report.ts'
import { Caller, callQuietly, pace, quantile, type Answer } from './load-traffic.ts'

/** Twenty times the rate that the limit of this row allows. */
const row = contract.mainBalance
const times = 20
const perSecond = (times * row.limit.calls * 1000) / row.limit.perMs
const quietMsMost = 50
const { code, message, errors } = gateRefusals.rateLimited
const refusal = JSON.stringify({ code, message, errors })

/** One key asks far too often, while another one asks for little. */
export async function overload(url: string, bareUrl: string, seconds: number): Promise<MeasuredRow[]> {
  const [seen, bare] = [await press(url, seconds), await press(bareUrl, seconds)]
  const accepted = seen.answers.filter(({ status }) => status === 200).length
  const others = seen.answers.filter(({ status }) => status !== 200)
  const foreign = others.filter((answer) => !isDocumented(answer))
  // In any span of its length, wherever that begins.
  const most = row.limit.calls * Math.ceil(1 + seen.ms / row.limit.perMs)
  const [p99, bareP99] = [quantile(seen.quietMs, 0.99), quantile(bare.quietMs, 0.99)]
  const recovered = await recovers(seen.noisy, others.at(-1))
  for (const { noisy } of [seen, bare]) await noisy.close()
  const [due, key] = [Math.floor(perSecond * seconds), `one key at ${times} times its limit`]
  return [
    {
      what: `${key}: calls without a documented answer`,
      ours: Math.abs(due - seen.answers.length) + foreign.length,
      atMost: 0,
      detail: `${perSecond} calls/s ${foreign[0]?.text.slice(0, 200) ?? ''}`.trimEnd(),
    },
    { what: `${key}: refused calls`, ours: others.length - foreign.length, atLeast: 1 },
    {
      what: `${key}: accepted calls`,
      ours: accepted,
      atMost: most,
      detail: `in ${(seen.ms / 1000).toFixed(1)} s`,
    },
    {
      what: `${key}: p99 of the quiet key, over the bare server`,
      ours: p99 - bareP99,
      unit: 'ms',
      atMost: quietMsMost,
      detail: `p99 ${p99.toFixed(1)} and ${bareP99.toFixed(1)} ms`,
    },
    {
      what: `${key}: calls of the quiet key that failed`,
      ours: seen.faults.length,
      atMost: 0,
      detail: seen.faults[0],
    },
    { what: `${key}: served again after Retry-After`, ours: recovered ? 1 : 0, atLeast: 1 },
  ]
}

async function press(url: string, seconds: number) {
  // Several calls on their way, in the order of their nonces.
  const noisy = new Caller(url, 'noisy', 20)
  const quiet = new Caller(url, 'quiet')
  const seen = { quietMs: [] as number[], faults: [] as string[] }
  const answers: Promise<Answer>[] = []
  const from = performance.now()
  await Promise.all([
    callQuietly(quiet, seconds, seen),
    pace(perSecond, seconds, () => answers.push(noisy.call(row.path, { ticker: 'USDT' }))),
  ])
  const all = await Promise.all(answers)
  const ms = performance.now() - from
  await quiet.close()
  return { ...seen, noisy, ms, answers: all }
}

function isDocumented({ status, text, retryAfter }: Answer): boolean {
  return status === 429 && text === refusal && /^[1-9]\d?$/.test(retryAfter ?? '')
}

async function recovers(noisy: Caller, refused: Answer | undefined): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 1000 * Number(refused?.retryAfter ?? 0)))
  const { status } = await noisy.call(row.path, { ticker: 'USDT' })
  return status === 200
}
