import { expect, test } from 'vitest'
import { eventText } from '#src/cli/words/event-text.ts'
import { statusText } from '#src/cli/operate/status.ts'
import { StrategyCache } from '#src/operate/dashboard/strategy-cache.ts'
import { statusOf } from '#src/operate/dashboard/status.ts'
import { atWork } from '#test/operate/dashboard/dashboard-fixture.ts'

const plain = { hasPairs: false, width: Infinity }

test('status rounds money and limits to two decimals, and amounts stay exact', () => {
  const { state } = atWork('01-static-grid').engine
  const status = statusOf(state, new StrategyCache().of(state), null)
  const [sgrid] = status.strategies
  if (sgrid === undefined) throw new Error('nothing runs')
  const text = statusText(
    {
      ...status,
      equity: '50001.66682001',
      strategies: [
        {
          ...sgrid,
          result: '0.17438702114',
          drawdown: '1.97240640615',
          maxDrawdown: '2.83551525',
          fees: '2.18716592153',
          gridProfit: '0.6093783352',
          floating: '-0.00499131406',
          earlier: '-3.14159',
          rungPairs: [
            {
              ladder: 'grid',
              level: 'b1',
              pairs: 2,
              profit: '-0.032369734',
              open: '0.000501',
              floating: null,
            },
          ],
          margins: [
            { limit: 'max_notional total', measures: 'money', used: '734.8114999', most: '2200' },
            { limit: 'max_position btc', measures: 'amount', used: '0.001721', most: '0.04' },
            { limit: 'account max_open_orders', measures: 'number', used: '11', most: '24' },
            { limit: 'daily_loss', measures: 'money', used: null, most: '40' },
          ],
        },
      ],
    },
    { hasPairs: true, width: Infinity },
  )
  expect(text).toContain('equity 50001.67,')
  expect(text).toContain('  result 0.17, drawdown 1.97 (at most 2.84)\n  fees 2.19, orders')
  expect(text).toMatch(/grid profit 0\.61 of \d+ matched pairs?, floating 0\.00, earlier result -3\.14/)
  expect(text).toMatch(/grid\.b1 +pairs 2 +profit -0\.03 +open 0\.000501 +floating unknown/)
  expect(text).toMatch(/max_notional total +734\.81 of 2200$/m)
  expect(text).toMatch(/max_position btc +0\.001721 of 0\.04$/m)
  expect(text).toMatch(/account max_open_orders +11 of 24$/m)
  expect(text).toMatch(/daily_loss +unknown of 40$/m)
})

test('status says how bot and venue disagree', () => {
  const { state } = atWork('01-static-grid').engine
  const status = statusOf(state, new StrategyCache().of(state), null)
  expect(status.drift).toBeNull()
  expect(statusText(status, plain)).not.toContain('disagree')
  state.drift.foreign = true
  const now = statusOf(state, new StrategyCache().of(state), null)
  expect(statusText(now, plain)).toContain('bot and venue disagree: other programs trade on this account')
})

test('the summary of a run rounds money for people', () => {
  const said = { level: 'info', time: '2026-11-23T08:47:09Z', type: 'summary', fills: 18, accepted: 57 }
  const text = eventText({ ...said, result: '0.57029560114', fees: '2.29819312153', tookMs: 13_700 }, 200)
  expect(text).toContain('18 fills, 57 orders accepted, result 0.57, fees 2.30, took 13.7 s')
})
