import type { Mutant } from './mutant.ts'

/** Defects of the rules that bound losses (ADR 0031): without any of them accounts mint money, or lose too much. */
export const lossMutants: readonly Mutant[] = [
  {
    id: 'loss-at-once',
    does: 'asks an order for its margin only, not for its loss against the mark price',
    file: 'src/exchange/trading/orders/order-matching.ts',
    find: 'if (trading.deleverages) wish.loss = orderLoss(trading, market, draft, lots)',
    replace: '',
    suite: ['test/exchange/trading/deleveraging.test.ts'],
  },
  {
    id: 'loss-unbacked',
    does: 'makes a fill that its account can no longer bear',
    file: 'src/exchange/trading/orders/order-loss.ts',
    find: 'return loss <= 0n || loss <= equityOf(trading, account, market.rules.money)',
    replace: 'return true',
    suite: ['test/exchange/trading/deleveraging.test.ts'],
  },
  {
    id: 'loss-through',
    does: 'liquidates through the bankruptcy price',
    file: 'src/exchange/trading/positions/liquidation.ts',
    find: 'const ticks = step.sells ? Math.max(band, worst) : Math.min(band, worst)',
    replace: 'const ticks = worst === 0 ? 0 : band',
    suite: ['test/exchange/trading/deleveraging.test.ts'],
  },
  {
    id: 'loss-insured',
    does: 'lets the insurance advance what unrealised profit covers',
    file: 'src/exchange/trading/positions/fill-settlement.ts',
    find: "return deleverages ? 'clearing' : 'insurance'",
    replace: "return deleverages ? 'insurance' : 'insurance'",
    suite: ['test/exchange/trading/deleveraging.test.ts'],
  },
  {
    id: 'loss-hedged',
    does: 'closes a part of a hedge against a bankrupt account, though the other part loses what it gains',
    file: 'src/exchange/trading/positions/deleveraging.ts',
    find: 'found.push({ trader, exposure, lots: Math.abs(net), rank })',
    replace: 'found.push({ trader, exposure, lots: Math.abs(exposure.lots), rank })',
    suite: ['test/exchange/trading/deleveraging.test.ts'],
  },
  {
    id: 'loss-marked',
    does: 'marks still markets by the last price alone',
    file: 'src/exchange/trading/positions/mark-price.ts',
    find: 'bid === 0 || ask === 0 ? last',
    replace: 'bid >= 0 || ask === 0 ? last',
    suite: ['test/exchange/trading/deleveraging.test.ts'],
  },
  {
    id: 'loss-brackets',
    does: 'applies the rate of the last bracket to the whole position',
    file: 'src/exchange/trading/positions/risk-brackets.ts',
    find: 'yield [end - before, bracket]',
    replace: 'if (end === notional) yield [end, bracket]',
    suite: ['test/exchange/trading/risk-brackets.test.ts'],
  },
  {
    id: 'loss-late-close',
    does: 'lets a backtest jump past the price at which daily_loss allows another close',
    file: 'src/engine/exits/share-to-close.ts',
    find: 'const byAmount = sign * open - rest / amount',
    replace: 'const byAmount = sign * open',
    suite: ['test/research/backtest/jump/closes/close-loss.test.ts'],
  },
]
