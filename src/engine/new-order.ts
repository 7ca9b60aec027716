import type { Draft } from './commands.ts'
import type { Order } from './state.ts'

/** All of it written out: spread into an object it would grow field by field, at ten times the memory. */
export function newOrder(draft: Draft, at: number): Order {
  const { id, strategy, ladder, level, generation, role, market, side, positionSide } = draft
  const { price, amount, postOnly, ioc, rpi, rungPrice, crossings } = draft
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
    ...(rungPrice !== undefined && { rungPrice }),
    ...(crossings !== undefined && { crossings }),
  }
}
