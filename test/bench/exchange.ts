/**
 * P13: signed bulks of 20 orders per second over loopback, the whole embedded exchange against a bare node:http
 * server that verifies the signature and echoes. Each server runs in a process of its own and is fed requests
 * signed beforehand, in alternating rounds; compared are calls per second and the CPU time that a call costs the server.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Pool } from 'undici'
import { Secret, signedHeaders } from '#src/venues/whitebit/contract/wire/signing.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { medianOf } from './runner/median.ts'
import { note, report } from './runner/report.ts'

const lanes = 10
/**
 * Short and many: what else this machine does weighs on both alike, and ratios are those of one round. Not shorter:
 * with 300 calls a round, whole runs of `trade` said anything from 0.20 to 0.38 by calls/s.
 */
const callsPerRound = 1000
const rounds = 20
/** Until the compiler has seen all of it: after half as many, calls still became faster from round to round. */
const warmUpCalls = 12_000
const path = contract.collateralBulk.path

type Side = { name: string; child: ChildProcess; pool: Pool }

/**
 * `rest`: a ladder of twenty bids, as the bot places it. `trade`: ten asks and the ten bids that take them, so
 * that every bulk rests, trades and settles, and leaves an empty book.
 */
const bulks = {
  rest: (lane: number, call: number) =>
    ladder(
      lane,
      call,
      () => 'buy',
      (index) => 50_000 - index * 10 - (call % 500),
    ),
  trade: (lane: number, call: number) =>
    ladder(
      lane,
      call,
      (index) => (index < 10 ? 'sell' : 'buy'),
      (index) => 60_000 + lane * 100 + (index % 10),
    ),
}
type Work = keyof typeof bulks

function ladder(
  lane: number,
  call: number,
  side: (index: number) => string,
  price: (index: number) => number,
) {
  return Array.from({ length: 20 }, (_, index) => ({
    market: 'BTC_PERP',
    side: side(index),
    amount: '0.001',
    price: String(price(index)),
    client_order_id: `bench.${lane}.${call}.${index}`,
  }))
}

/** The next so many calls of each lane; both servers get the same bytes. */
function signedCalls(work: Work, from: number, calls: number) {
  return Array.from({ length: lanes }, (_, lane) => {
    const credentials = { key: `bench-${lane}`, secret: new Secret(`bench-${lane}-secret`) }
    return Array.from({ length: calls / lanes }, (_, index) => {
      const call = from / lanes + index
      const body = Buffer.from(
        JSON.stringify({
          orders: bulks[work](lane, call),
          request: path,
          nonce: String(1_790_000_000_000 + call),
        }),
      )
      return { body, headers: signedHeaders(credentials, body) }
    })
  })
}

async function start(name: string): Promise<Side> {
  const child = fork(new URL('processes/exchange-server.ts', import.meta.url), [name], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const url = String(await told(child))
  return { name, child, pool: new Pool(url, { connections: lanes, pipelining: 1 }) }
}

/** Calls per second, and CPU microseconds of the server per call. */
async function run(
  { child, pool }: Side,
  calls: ReturnType<typeof signedCalls>,
  check: (text: string) => void,
) {
  child.send('begin')
  await told(child)
  const began = performance.now()
  await Promise.all(
    calls.map(async (lane) => {
      for (const [index, { body, headers }] of lane.entries()) {
        const response = await pool.request({ path, method: 'POST', body, headers })
        // Looking costs the feeder more than asking, and both share the machine: every tenth answer is looked at.
        if (index % 10 === 0) check(await response.body.text())
        else await response.body.dump()
        if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
      }
    }),
  )
  const seconds = (performance.now() - began) / 1000
  child.send('end')
  const cpuMicros = Number(await told(child))
  const count = calls.length * (calls[0]?.length ?? 0)
  return { rate: count / seconds, cpu: cpuMicros / count }
}

async function told(child: ChildProcess): Promise<unknown> {
  const [message]: unknown[] = await once(child, 'message')
  return message
}

/** Nothing is timed that was not done: every order of every bulk must be in the state that its work leads to. */
const expected = { rest: ['"status":"OPEN"', 20], trade: ['"status":"FILLED"', 10] } as const

async function measure(work: Work): Promise<void> {
  const [status, count] = expected[work]
  const check = (text: string) => {
    if (text.split(status).length !== count + 1) throw new Error(`not as expected: ${text.slice(0, 400)}`)
  }
  const [exchange, bare] = [await start('exchange'), await start('bare')]
  const round = async (number: number, from: number, length: number) => {
    const calls = signedCalls(work, from, length)
    // In turns: who runs second finds the caches full of the other's.
    const first = number % 2 === 0 ? await run(exchange, calls, check) : undefined
    const theirs = await run(bare, calls, () => {})
    return { ours: first ?? (await run(exchange, calls, check)), theirs }
  }
  await round(0, 0, warmUpCalls)
  const seen: Awaited<ReturnType<typeof round>>[] = []
  for (let number = 0; number < rounds; number++) {
    seen.push(await round(number, warmUpCalls + number * callsPerRound, callsPerRound))
  }
  for (const { child, pool } of [exchange, bare]) {
    await pool.close()
    child.kill()
  }
  note(`${work} · signed bulk(20), ${lanes} keys, ${rounds} rounds of ${callsPerRound}`)
  const limits = { atLeast: 0.35, wanted: 0.8 }
  const medians = (figure: 'rate' | 'cpu') => ({
    ours: medianOf(seen.map(({ ours }) => ours[figure])),
    floor: medianOf(seen.map(({ theirs }) => theirs[figure])),
  })
  // The median of what the rounds say, each of them by itself.
  const byCpu = medianOf(seen.map(({ ours, theirs }) => theirs.cpu / ours.cpu))
  const bySpeed = medianOf(seen.map(({ ours, theirs }) => ours.rate / theirs.rate))
  const cpu = { ...medians('cpu'), ratio: byCpu, unit: 'µs CPU a call' }
  report({ goal: 'P13', what: `${work}, by CPU`, ...cpu, ...limits })
  report({
    goal: 'P13',
    what: `${work}, by calls/s`,
    ...medians('rate'),
    ratio: bySpeed,
    unit: 'calls/s',
    ...limits,
  })
}

await measure('rest')
await measure('trade')
