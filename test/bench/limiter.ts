import PQueue from 'p-queue'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { CallQueue } from '#src/venues/whitebit/client/calls/call-queue.ts'
import { Nonces, type NonceTrace } from '#src/venues/whitebit/client/calls/nonces.ts'
import { RollingWindow } from '#src/venues/whitebit/contract/rolling-window.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { ManualClock, systemClock } from '#src/core/time/clock.ts'
import { chanceOf } from '../fuzz/chance.ts'
import { medianOf } from './runner/median.ts'
import { report } from './runner/report.ts'

/**
 * P5: a million calls that come at random, in bursts above and pauses below what the venue allows, through the whole
 * client. Meanwhile the wall clock steps to and fro, and the client ends, well or by a crash, and begins again. Counted
 * are the sends that came over the cap in any span of its length, wherever that begins: none may. Then the rate at which
 * tasks pass the lane when no limit holds them back, beside p-queue in its strict mode.
 */
const arrivals = 1_000_000
const seed = 20261121
const { limit } = contract.flexPlans
const tasks = 20_000
const rounds = 9

const chance = chanceOf(seed)
const clock = new ManualClock(1_790_000_000_000)
const sends: number[] = []
let trace: NonceTrace | undefined
const response = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(contract.flexPlans.example.response),
}

/** One run of the client; after a crash nothing of it reaches the venue or the disk any more. */
function begin(): { client: Client; crash(): void } {
  let crashed = false
  const client = createClient({
    transport: {
      send: async () => {
        if (!crashed) sends.push(clock.monotonic())
        return { kind: 'answered', response }
      },
      close: async () => {},
    },
    key: {
      credentials: { key: 'key', secret: new Secret('secret') },
      nonces: new Nonces({
        clock,
        mode: 'strict',
        memory: {
          load: () => trace,
          save: (next) => {
            if (!crashed) trace = next
          },
        },
      }),
    },
    clock,
    random: () => chance.below(1000) / 1000,
  })
  return { client, crash: () => (crashed = true) }
}

async function arrive(): Promise<{ restarts: number; steps: number }> {
  let [run, restarts, steps, astrayMs] = [begin(), 0, 0, 0]
  for (let arrived = 0; arrived < arrivals;) {
    const burst = 1 + chance.below(500)
    for (let call = 0; call < burst; call++)
      void run.client.flexPlans({}, { deadlineMs: 1 + chance.below(15_000) })
    arrived += burst
    for (let turns = chance.below(4); turns >= 0; turns--) {
      await settled()
      clock.advance(chance.percent(10) ? chance.below(30_000) : chance.below(2000))
    }
    if (chance.percent(3)) {
      // Backwards no farther than a restart allows, and back again.
      const step = astrayMs === 0 ? chance.below(3_600_000) - 40_000 : -astrayMs
      clock.step(step)
      astrayMs = step < 0 && astrayMs === 0 ? step : 0
      steps += 1
    }
    if (chance.percent(2)) {
      if (chance.percent(50)) run.crash()
      await run.client.close()
      run = begin()
      restarts += 1
    }
  }
  await run.client.close()
  return { restarts, steps }
}

function overTheCap(times: readonly number[]): number {
  return times.filter((at, index) => at - (times[index - limit.calls] ?? -Infinity) < limit.perMs).length
}

async function lanePass(): Promise<void> {
  const lane = new CallQueue({ clock: systemClock, random: () => 0, concurrency: 1 })
  const window = new RollingWindow({ calls: tasks, perMs: 1000 })
  await inBatches((done) =>
    lane.run({ window, dueAt: Infinity, priority: 0, signal: undefined, start: () => done }),
  )
}

async function queuePass(): Promise<void> {
  const queue = new PQueue({ concurrency: 1, interval: 1000, intervalCap: tasks, strict: true })
  await inBatches((done) => queue.add(() => done))
}

/** As many at once as the lane takes. */
async function inBatches(add: (done: Promise<object>) => Promise<unknown>): Promise<void> {
  const done = Promise.resolve({})
  for (let sent = 0; sent < tasks; sent += 1000)
    await Promise.all(Array.from({ length: 1000 }, () => add(done)))
}

async function msOf(pass: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await pass()
  return performance.now() - start
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const { restarts, steps } = await arrive()
report({
  goal: 'P5',
  what: `sends over the cap of ${limit.calls} in any ${limit.perMs} ms`,
  ours: overTheCap(sends),
  atMost: 0,
  detail: `${arrivals} arrivals, seed ${seed}: ${sends.length} sent, ${restarts} restarts, ${steps} steps of the clock`,
})

const times: { lane: number; queue: number }[] = []
for (let round = 0; round < rounds; round++)
  times.push({ lane: await msOf(lanePass), queue: await msOf(queuePass) })
const perTask = (pass: 'lane' | 'queue') => (1000 * medianOf(times.map((time) => time[pass]))) / tasks
report({
  goal: 'P5',
  what: 'a task through the queue, against p-queue',
  ours: perTask('lane'),
  peer: perTask('queue'),
  ratio: medianOf(times.map(({ lane, queue }) => queue / lane)),
  unit: 'µs',
  wanted: 10,
})
