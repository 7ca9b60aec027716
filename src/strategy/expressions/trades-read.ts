import { everyProgram, type Programs } from './programs.ts'
import { reads } from './reads.ts'
import { functionsOfTrades, tradesSpanMs } from '#src/strategy/schema/trade-spans.ts'

/** The spans that expressions read of a feed, in milliseconds, and whether they read the volume at prices. */
export type TradesRead = { spans: readonly number[]; byPrice: boolean }

export function tradesRead(programs: Programs, feed: string): TradesRead {
  const { calls } = reads(everyProgram(programs), programs.lets)
  const own = calls.filter(({ name, of }) => of === feed && functionsOfTrades.has(name))
  const spans = new Set(own.flatMap(({ texts }) => texts.flatMap((text) => tradesSpanMs(text) ?? [])))
  return { spans: [...spans], byPrice: own.some(({ name }) => name === 'volume_between') }
}
