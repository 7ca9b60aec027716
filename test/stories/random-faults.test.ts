import { test } from 'vitest'
import { seed, times } from '#test/properties/runs.ts'
import type { VenueFault } from '#test/support/faulty-venue.ts'
import { story } from './story.ts'

const faults: readonly VenueFault[] = [
  'lost',
  'answer lost',
  'left alone',
  'failed after',
  'cut',
  'cut short',
  'doubled',
  'doubled, the second answer',
  'nonce overtaken',
  { lateMs: 100 },
  { lateMs: 700 },
]

/** The faults have a fixed order; which calls they meet depends on timing. */
function* randomFaults(from: number): Generator<VenueFault | undefined, never> {
  let state = from
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32 < 0.2 ? faults[(state >>> 8) % faults.length] : undefined
  }
}

const worlds = [
  ['ids stay used', { clientIds: 'forever' }, 'forever'],
  ['ids are free again', { clientIds: 'live' }, 'unproven'],
] as const

for (const [name, switches, clientIds] of worlds) {
  for (let run = 0; run < times(1, 10); run++) {
    test.concurrent(`every fifth call fails, processes crash, and ${name}: run ${run}`, () =>
      story({
        world: { switches },
        bot: { clientIds },
        bulks: times(25, 25, 15),
        async meanwhile(context) {
          const next = randomFaults(seed + run)
          context.venue.randomFaults(() => next.next().value)
          for (let life = 0; life < 2; life++) {
            await context.clock.sleep(1500)
            context.venue.randomFaults(undefined)
            await context.restart()
            context.venue.randomFaults(() => next.next().value)
          }
        },
        events: ['order-unknown', 'order-resolved', 'fill'],
      }))
  }
}
