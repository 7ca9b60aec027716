import { everyProgram, type Programs } from '#src/strategy/expressions/programs.ts'
import { reads } from '#src/strategy/expressions/reads.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

/** Functions of futures without a value in any backtest: no file has it. */
const never: ReadonlySet<string> = new Set(['open_interest'])

/** Values that the venue gives and no backtest has. */
export function backtestWarnings({ futures }: Strategy, programs: Programs): StrategyFault[] {
  const { calls } = reads(everyProgram(programs), programs.lets)
  const feeds = Object.keys(futures).filter((feed) =>
    calls.some(({ name, of }) => of === feed && never.has(name)),
  )
  return feeds.map((feed) => ({
    path: ['feeds', feed],
    onKey: true,
    message: `open_interest(${feed}) is unknown in a backtest: market files have no open interest`,
    hint: 'judge the rules that need it on paper or live, not by a backtest',
  }))
}
