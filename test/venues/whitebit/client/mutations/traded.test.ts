import { expect, test } from 'vitest'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { isRecord, keysOf } from '#src/core/objects/objects.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { story } from '#test/stories/story.ts'

/** Balances, and lists by market: the keys are no names of fields. */
const isTable = (value: Record<string, unknown>) =>
  Object.keys(value).every((key) => /^[A-Z0-9]+(?:_[A-Z0-9]+)?$/.test(key))

/** The answer of another version of the API: with unknown fields, and without each field that the bot does not need. */
function otherForm(row: Pick<Endpoint, 'reads'>, value: unknown): unknown {
  const { reads } = row
  if (Array.isArray(value)) return value.map((each) => otherForm(row, each))
  if (!isRecord(value)) return value
  const entries = Object.entries(value).map(([name, item]) => [name, otherForm(row, item)] as const)
  if (isTable(value)) return Object.fromEntries(entries)
  const kept = entries.filter(([name]) => reads === undefined || reads.includes(name))
  return { version: { of: ['another', 'API'] }, ...Object.fromEntries(kept.reverse()), oto: null }
}

// Rebates, positions with take profit and unreadable elements: test/runtime/account/partial-answers.test.ts.
test('a bot trades at a venue whose answers have unknown fields and only the needed ones of ours', async () => {
  let alerts: (() => BotEvent[]) | undefined
  let changed = 0
  await story({
    plan(venue) {
      for (const name of keysOf(contract)) {
        const row: Endpoint = contract[name]
        venue.rewrite(name, (answer) => {
          changed += 1
          return otherForm(row, answer)
        })
      }
    },
    async meanwhile({ notes }) {
      alerts = () => notes('alert')
    },
    events: ['fill', 'order-accepted'],
  })
  expect(changed).toBeGreaterThan(50)
  expect(alerts?.()).toEqual([])
})
