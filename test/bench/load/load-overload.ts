import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { gateRefusals } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { Caller, callQuietly, pace, quantile, type Answer } from './load-traffic.ts'

/** Twenty times the rate that the limit of this row allows. */
const row = contract.mainBalance
const times = 20
const perSecond = (times * row.limit.calls * 1000) / row.limit.perMs
const quietMsMost = 50
const { code, message, errors } = gateRefusals.rateLimited
const refusal = JSON.stringify({ code, message, errors })

/** One key asks far too often, while another one asks for little: what must be true of it, and whether it is. */
export async function overload(url: string, bareUrl: string, seconds: number): Promise<[boolean, string][]> {
  const [seen, bare] = [await press(url, seconds), await press(bareUrl, seconds)]
  const accepted = seen.answers.filter(({ status }) => status === 200).length
  const others = seen.answers.filter(({ status }) => status !== 200)
  const foreign = others.filter((answer) => !isDocumented(answer))
  // In any span of its length, wherever that begins.
  const most = row.limit.calls * Math.ceil(1 + seen.ms / row.limit.perMs)
  const [p99, bareP99] = [quantile(seen.quietMs, 0.99), quantile(bare.quietMs, 0.99)]
  const recovered = await recovers(seen.noisy, others.at(-1))
  for (const { noisy } of [seen, bare]) await noisy.close()
  return [
    [
      seen.answers.length === Math.floor(perSecond * seconds) && foreign.length === 0 && others.length > 0,
      `${perSecond} calls/s of one key, ${times} times its limit: ${accepted} accepted, ${others.length} refused with 429, ` +
        `${foreign.length} answered otherwise ${foreign[0]?.text.slice(0, 200) ?? ''}`,
    ],
    [accepted <= most, `within ${(seen.ms / 1000).toFixed(1)} s, at most ${most} calls may be accepted`],
    [
      seen.faults.length === 0 && p99 - bareP99 <= quietMsMost,
      `meanwhile the quiet key has p99 ${p99.toFixed(1)} ms, at the bare server ${bareP99.toFixed(1)} ms ${seen.faults[0] ?? ''}`,
    ],
    [recovered, 'after Retry-After, the key is served again'],
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
