import { decimal, type Decimal } from '#src/core/money/decimal.ts'
import type { KindName } from './kind-names.ts'

/** The values for a new strategy file. Distances are ratios. */
export type StrategyDraft = {
  kind: KindName
  market: string
  /** Cost of all entries together. */
  money: Decimal
  /** Rungs; on each side, if the kind has two sides. */
  levels: number
  step: Decimal
  /** How far the price must have fallen before the first entry. */
  dip: Decimal
  profit: Decimal
  name: string
}

/** Before the first answer; values that a kind does not ask for stay as here. */
export const blankDraft: StrategyDraft = {
  kind: 'grid',
  market: '',
  money: decimal('0'),
  levels: 0,
  step: decimal('0'),
  dip: decimal('0'),
  profit: decimal('0'),
  name: '',
}

type Kind = {
  about: string
  sides: 1 | 2
  /** Growth of the gaps from rung to rung, and growth of the amounts. */
  grow: Decimal
  weigh: Decimal
  /** The largest distance of the last rung from the price. */
  reachMost: Decimal
  levelsMost: number
  usual: { levels: number; name: string }
  /** The name of a step in a question. */
  step: string
  /** The smallest step, as a multiple of the maker fee. */
  fees: Decimal
  /** Whether it sells its whole position at a take profit; a refused rung then stops the deeper ones. */
  leaves: boolean
  /** The price move of the worst case. */
  move: string
  drawdown: { pause: string; halt: string }
  /** What waits while an order has an unknown outcome. */
  block: 'level' | 'ladder' | 'market'
  order: 'nearest_first' | 'interleave'
}

/** Kinds that buy below the price and sell the whole position with a profit. */
const buysBelow = {
  sides: 1,
  reachMost: decimal('0.6'),
  step: 'What is the distance from the first buy to the second? Later distances are wider',
  fees: decimal('0'),
  leaves: true,
  move: '-30%',
  drawdown: { pause: '20%', halt: '30%' },
  block: 'ladder',
  order: 'nearest_first',
} as const

export const kinds: Readonly<Record<KindName, Kind>> = {
  grid: {
    about: 'buys below the price and sells above it, line by line, for a market without a trend',
    sides: 2,
    grow: decimal('1'),
    weigh: decimal('1'),
    reachMost: decimal('0.25'),
    levelsMost: 50,
    usual: { levels: 8, name: 'mygrid' },
    step: 'What is the distance between the lines?',
    fees: decimal('2.5'),
    leaves: false,
    move: '30%',
    drawdown: { pause: '10%', halt: '20%' },
    block: 'level',
    order: 'nearest_first',
  },
  dip: {
    ...buysBelow,
    about: 'waits with buys below the price, larger the lower they are, and sells all with a profit',
    grow: decimal('1.08'),
    weigh: decimal('1.15'),
    levelsMost: 30,
    usual: { levels: 8, name: 'mydip' },
  },
  dca: {
    ...buysBelow,
    about: 'buys at once, averages down when the price falls, and sells all with a profit',
    grow: decimal('1.2'),
    weigh: decimal('1.3'),
    levelsMost: 15,
    usual: { levels: 6, name: 'mydca' },
  },
  'market-making': {
    about: 'quotes close to the price on both sides, and shifts its quotes against its position',
    sides: 2,
    grow: decimal('1.2'),
    weigh: decimal('1.15'),
    reachMost: decimal('0.1'),
    levelsMost: 10,
    usual: { levels: 3, name: 'mymaker' },
    step: 'What is the distance from the mid price to the first quote? The others follow at the same distance',
    fees: decimal('1.25'),
    leaves: false,
    move: '10%',
    drawdown: { pause: '5%', halt: '10%' },
    block: 'market',
    order: 'interleave',
  },
}
