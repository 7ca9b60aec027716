import { stopRests } from '#src/strategy/schema/exit-schema.ts'
import { stopsAtVenue } from '#src/engine/state/open-orders.ts'
import type { LadderState, State } from '#src/engine/state/state.ts'
import { away, badTick, isFallenTo, priceText, type ExitKind } from './exit-kind.ts'

/** What protects the position after the venue has refused or ended a stop with `mode: resting`. */
export function protectionText(state: State, own: LadderState): string {
  return stopsAtVenue(state, own).size > 0
    ? 'the stop at the venue keeps its earlier price and amount'
    : 'the venue has no order for the stop, and the bot watches it: nothing protects the position while the bot does not run'
}

/** With `mode: resting` the venue watches the price. The bot does so only while no stop order can be there. */
export const stop: ExitKind = {
  text: 'stop',
  lasts: true,
  marks: (leaving) => {
    const { entry, ladder, state, own } = leaving
    const { stop } = ladder.file.exit ?? {}
    const price = stop && badTick(leaving, away(leaving, entry, entry.times(stop.pct).neg()))
    const isWatched = stopsAtVenue(state, own).size === 0
    return { price, bad: isWatched ? price : undefined }
  },
  isDue: (leaving, { bad }) => isFallenTo(leaving, bad),
  reason: ({ ladder }, { price, bad }, { far }) => {
    const who = bad
      ? 'the bot watches it, since no order of it waits at the venue'
      : 'its order waits at the venue'
    return `the stop is at ${priceText(price)}${far(price)}${stopRests(ladder.file) ? `: ${who}` : ''}`
  },
}
