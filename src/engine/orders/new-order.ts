import type { OrderDraft } from '#src/engine/commands.ts'
import type { Order, State } from '#src/engine/state/state.ts'

/** Lists each field: a spread makes an object that grows field by field, with ten times the memory. */
export function newOrder(draft: OrderDraft, { at, heard }: Pick<State, 'at' | 'heard'>): Order {
  const { id, strategy, ladder, level, generation, role, market, side, positionSide } = draft
  const { price, amount, postOnly, ioc, rpi, activation, reduceOnly, rungPrice, crossings, amends } = draft
  return {
    id,
    strategy,
    ladder,
    level,
    generation,
    role,
    market,
    side,
    positionSide,
    price,
    amount,
    postOnly,
    ioc,
    rpi,
    status: 'sending',
    withdrawing: false,
    withdrawAfter: 0,
    refusals: 0,
    venueId: null,
    filled: '0',
    money: '0',
    fee: '0',
    armed: '0',
    sentAt: at,
    endedAt: null,
    why: null,
    doubtfulSince: null,
    looks: 0,
    attempts: 1,
    ...(heard !== undefined && { heard }),
    ...(activation !== undefined && { activation }),
    ...(reduceOnly && { reduceOnly }),
    ...(rungPrice !== undefined && { rungPrice }),
    ...(crossings !== undefined && { crossings }),
    ...(amends && { amends }),
  }
}
