import { expect, test } from 'vitest'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { keysOf } from '#src/core/objects/objects.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { story } from '#test/stories/story.ts'
import { otherForm } from '#test/support/other-form.ts'

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
