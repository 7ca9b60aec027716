import { expect, test } from 'vitest'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { isRecord, keysOf } from '#src/core/objects/objects.ts'
import type { FaultyVenue } from '#test/support/faulty-venue.ts'
import { story } from '#test/stories/story.ts'

/** Balances and lists by market: their keys are no names of fields. */
const isTable = (value: Record<string, unknown>) =>
  Object.keys(value).every((key) => /^[A-Z0-9]+(?:_[A-Z0-9]+)?$/.test(key))

/** The answer of another version of the API: with unknown fields, and without all that the bot does not need. */
function otherForm(row: Pick<Endpoint, 'reads'>, value: unknown): unknown {
  const { reads } = row
  if (Array.isArray(value)) return value.map((each) => otherForm(row, each))
  if (!isRecord(value)) return value
  const entries = Object.entries(value).map(([name, item]) => [name, otherForm(row, item)] as const)
  if (isTable(value)) return Object.fromEntries(entries)
  const kept = entries.filter(([name]) => reads === undefined || reads.includes(name))
  return { version: { of: ['another', 'API'] }, ...Object.fromEntries(kept.reverse()), oto: null }
}

/** A fee that the venue pays. */
function rebated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rebated)
  if (!isRecord(value)) return value
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
    const isFee = (name === 'deal_fee' || name === 'fee') && typeof item === 'string' && Number(item) > 0
    return [name, isFee ? `-${item}` : rebated(item)]
  })
  return Object.fromEntries(entries)
}

const foreign = {
  market: 'SOL_PERP',
  amount: '-3',
  positionId: 9,
  tpsl: { takeProfitId: 1, takeProfit: '100', stopLossId: 2, stopLoss: null },
  liquidationState: 'another word',
}

function answerOtherwise(venue: FaultyVenue): void {
  for (const name of keysOf(contract)) {
    const row: Endpoint = contract[name]
    venue.rewrite(name, (answer) => {
      const told = name === 'openPositions' && Array.isArray(answer) ? [...answer, foreign] : answer
      return otherForm(row, rebated(told))
    })
  }
}

test.concurrent('a venue with other fields, rebates and a position of somebody else is traded like any other', () =>
  story({
    plan: answerOtherwise,
    events: ['fill', 'order-accepted'],
    async meanwhile({ bot }) {
      expect(bot.notes.filter(({ type }) => type === 'alert')).toEqual([])
    },
  }))
