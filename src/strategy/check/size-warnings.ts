import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import type { Programs } from '#src/strategy/expressions/programs.ts'
import { reads } from '#src/strategy/expressions/reads.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import { followsFills } from '#src/strategy/schema/ladder-schema.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { PlacedLadder, Preview } from './preview.ts'

/** Values that change with a fill. */
const ofFills: ReadonlySet<string> = new Set(['position', 'avg_entry', 'net_fills', 'filled_levels'])

/** Sizes that do not follow what they read, or that follow it without an end, and mirrors that keep no coins. */
export function sizeWarnings({ ladder }: Strategy, programs: Programs, { placed }: Preview): StrategyFault[] {
  const sizes = Object.entries(ladder).flatMap(([name, file]): StrategyFault[] => {
    const { size } = programs.ladders.get(name) ?? {}
    const isProgram = size !== undefined && 'ast' in size
    const calls = isProgram ? reads([size], programs.lets).calls : []
    const read = calls.find((call) => ofFills.has(call.name))
    const follows = followsFills(file)
    if (read && !follows && typeof file.rebase !== 'object') {
      const message = `the size reads ${read.name}, but a fill does not compute this ladder again: it keeps its size`
      const path = ['ladder', name, 'size']
      return [{ path, from: [path, ['ladder', name, 'rebase']], message, hint: 'write rebase: on_fill' }]
    }
    if (read || !follows || file.exit !== undefined) return []
    const message =
      'the ladder has no exit, and its size does not read its position: it places its rungs again after each of its ' +
      'fills, until a limit of risk blocks it'
    const hint = 'add an exit, or a size that falls with the position'
    return [{ path: ['ladder', name, 'rebase'], message, hint }]
  })
  return [...sizes, ...placed.flatMap(keepsNoCoins)]
}

/** About the profit of each mirror is kept in coins, of which parts of a lot cannot be kept. */
function keepsNoCoins({ name, file, market, edges }: PlacedLadder): StrategyFault[] {
  if (file.exit?.earn !== 'base' || edges.size === 0) return []
  const lot = new Decimal(10).pow(-market.amountDigits)
  if ([...edges].some(([{ amount }, { net }]) => amount.times(net).gte(lot))) return []
  const message =
    `each mirror earns less than a lot of ${decimalText(lot)}, so that no coins stay: ` +
    'it sells all that its rung has bought'
  const hint = 'use more capital for each rung, a larger mirror, or a market with a smaller lot'
  return [{ path: ['ladder', name, 'exit', 'earn'], message, hint }]
}
