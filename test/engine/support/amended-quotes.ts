import type { OrderAnswer } from '#src/engine/events.ts'
import type { Step } from '#src/engine/step-context.ts'
import { accepted, EngineHarness, type HarnessOrder } from './engine-harness.ts'

/** Quotes on both sides of the mid price, which follow it after a move of 0.1 %. */
export function quotesWith(levels = 1, risk = ''): string {
  const ladder = (name: string, side: string) => [
    `  ${name}:`,
    '    market: btc',
    `    side: ${side}`,
    '    anchor: mid(top)',
    '    rebase: { drift: 0.1%, min_gap: 1s, amend: true }',
    `    levels: ${levels}`,
    '    spacing: { kind: arithmetic, first: 0.5%, step: 0.5% }',
    '    size: { total: 400 quote }',
  ]
  return [
    'version: 1',
    'name: mm',
    'markets: { btc: BTC_USDT }',
    'feeds: { top: { source: book, market: btc, stale_after: 1h } }',
    'ladder:',
    ...ladder('bids', 'buy'),
    ...ladder('asks', 'sell'),
    'rules:',
    '  - { id: quote, when: mid(top) > 0, do: [ensure: bids, ensure: asks] }',
    '  - { id: wide, when: spread(top) > 0.01, do: [retire: bids, retire: asks] }',
    'risk:',
    '  max_notional: { btc: 5000 }',
    ...(risk === '' ? [] : [`  ${risk}`]),
    '  worst_case: { move: -50%, max_loss: 5000 }',
    '  drawdown: { pause: 50%, halt: 90% }',
  ].join('\n')
}

export const named = (order: HarnessOrder): OrderAnswer => {
  const answer = accepted(order)
  return answer.kind === 'accepted' ? { ...answer, venueId: `v ${order.id}` } : answer
}

/** The quotes rest; 2 s later the price has moved by 0.2 %. */
export function moved(text = quotesWith()): { harness: EngineHarness; step: Step } {
  const harness = new EngineHarness([text])
  harness.settle(harness.quote('BTC_USDT', 60_000), named)
  harness.at += 2000
  return { harness, step: harness.quote('BTC_USDT', 60_120) }
}
