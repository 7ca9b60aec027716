import { basename } from 'node:path'
import type { Funding } from '#src/market/data/historical-market.ts'
import type { Scenario } from '#src/research/backtest/scenario.ts'
import { isPerpetual } from '#src/research/backtest/world.ts'

const usualMs = 28_800_000
/** Venues change the funding interval; only a pause longer than both of its neighbours by this factor is a hole. */
const holeTimes = 1.5

/** The periods for which a file has no rate, so that no funding is paid. */
export function withoutFunding(
  { rates }: Pick<Funding, 'rates'>,
  { from, to }: { from: number; to: number },
): { from: number; to: number }[] {
  const times = rates.map(({ at }) => at)
  const pauses = times.slice(1).map((at, place) => at - (times[place] ?? 0))
  const usual = (place: number) =>
    Math.max(pauses[place - 1] ?? 0, pauses[place + 1] ?? 0) || (pauses[place] ?? usualMs)
  const [first = to, last = from] = [times[0], times.at(-1)]
  const found = [
    ...(first - from > holeTimes * usual(-1) ? [{ from, to: first }] : []),
    ...pauses.flatMap((pause, place) =>
      pause > holeTimes * usual(place) ? [{ from: times[place] ?? 0, to: times[place + 1] ?? 0 }] : [],
    ),
    ...(to - last > holeTimes * usual(pauses.length) ? [{ from: last, to }] : []),
  ]
  return found
    .map((hole) => ({ from: Math.max(hole.from, from), to: Math.min(hole.to, to) }))
    .filter((hole) => hole.from < hole.to)
}

/** One sentence for all of them, or none. */
function holesText(symbol: string, funding: Funding, span: { from: number; to: number }): string[] {
  const [first, ...more] = withoutFunding(funding, span)
  if (!first) return []
  const [from, to] = [first.from, first.to].map((at) => new Date(at).toISOString())
  const others = more.length === 0 ? '' : `, nor in ${more.length} more periods`
  return [
    `${symbol} pays no funding from ${from} to ${to}${others}: ${basename(funding.file)} has no rates there.`,
  ]
}

/** Which markets pay and receive funding; empty if no perpetual is traded. */
export function fundingTexts({
  markets,
  funding,
  from,
  to,
}: Pick<Scenario, 'markets' | 'funding' | 'from' | 'to'>): string[] {
  const without = [...markets.keys()].filter((symbol) => isPerpetual(symbol) && !funding.has(symbol))
  const texts: string[] = []
  for (const [symbol, each] of funding) {
    const due = each.rates.filter(({ at }) => at > from && at <= to).length
    const by = `at the mark price, ${due === 1 ? 'once' : `${due} times`}, by the rates of ${basename(each.file)}`
    texts.push(
      `Positions in ${symbol} pay and receive funding ${by}.`,
      ...holesText(symbol, each, { from, to }),
    )
  }
  if (without.length > 0)
    texts.push(
      `Positions in ${without.join(' and ')} pay and receive no funding: --funding FILE gives the rates.`,
    )
  return texts
}
