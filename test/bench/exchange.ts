/**
 * P13: signed bulks of 20 orders per second over loopback, the whole embedded exchange against a bare node:http
 * server that verifies the signature and echoes. Each server runs in a process of its own and is fed requests
 * signed beforehand, in alternating rounds; what is compared is the CPU time that each request costs the server.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Pool } from 'undici'
import { Secret, signedHeaders } from '#src/contract/signing.ts'
import { contract } from '#src/contract/table.ts'

const callsPerRound = 3000
const rounds = 5
const lanes = 10
const path = contract.collateralBulk.path

type Side = { name: string; child: ChildProcess; url: string }

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

function signedCalls(work: Work, round: number) {
  return Array.from({ length: lanes }, (_, lane) => {
    const credentials = { key: `bench-${lane}`, secret: new Secret(`bench-secret-${lane}`) }
    return Array.from({ length: callsPerRound / lanes }, (_, index) => {
      const call = (round * callsPerRound) / lanes + index
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

async function start(name: string, role: string): Promise<Side> {
  const child = fork(new URL('exchange-server.ts', import.meta.url), [role], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  return { name, child, url: String(await told(child)) }
}

async function run(side: Side, calls: ReturnType<typeof signedCalls>, check: (text: string) => void) {
  const pool = new Pool(side.url, { connections: lanes, pipelining: 1 })
  side.child.send('begin')
  await told(side.child)
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
  side.child.send('end')
  const cpuMicros = Number(await told(side.child))
  await pool.close()
  return { perSecond: callsPerRound / seconds, cpuMicros: cpuMicros / callsPerRound }
}

async function told(child: ChildProcess): Promise<unknown> {
  const [message]: unknown[] = await once(child, 'message')
  return message
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Nothing is timed that was not done: every order of every bulk must be in the state that its work leads to. */
const expected = { rest: ['"status":"OPEN"', 20], trade: ['"status":"FILLED"', 10] } as const

async function measure(work: Work): Promise<void> {
  const [status, count] = expected[work]
  const check = (text: string) => {
    if (text.split(status).length !== count + 1) throw new Error(`not as expected: ${text.slice(0, 400)}`)
  }
  const sides = [await start('exchange', 'exchange'), await start('bare', 'bare')]
  const results = sides.map((side) => ({ side, perSecond: [] as number[], cpuMicros: [] as number[] }))
  for (let round = 0; round <= rounds; round++) {
    const calls = signedCalls(work, round)
    for (const [index, side] of sides.entries()) {
      const figures = await run(side, calls, index === 0 ? check : () => {})
      // The first round warms both up.
      if (round === 0) continue
      results[index]?.perSecond.push(figures.perSecond)
      results[index]?.cpuMicros.push(figures.cpuMicros)
    }
  }
  for (const { child } of sides) child.kill()
  print(`P13 ${work} · signed bulk(20), ${lanes} keys, ${rounds} rounds of ${callsPerRound}`)
  for (const { side, perSecond, cpuMicros } of results) {
    const figures = [
      `${median(perSecond).toFixed(0).padStart(6)} calls/s`,
      `${median(cpuMicros).toFixed(0)} µs CPU a call`,
    ]
    print(`  ${side.name.padEnd(10)} ${figures.join(' · ')}`)
  }
  const [exchange, bare] = results
  const byCpu = median(bare?.cpuMicros ?? []) / median(exchange?.cpuMicros ?? [])
  const bySpeed = median(exchange?.perSecond ?? []) / median(bare?.perSecond ?? [])
  print(`  ratio      ${byCpu.toFixed(2)} by CPU · ${bySpeed.toFixed(2)} by calls/s (must 0.35, goal 0.8)`)
}

await measure('rest')
await measure('trade')
