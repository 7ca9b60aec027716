import { allAlive } from '#src/engine/exits/exit-orders.ts'
import type { StrategyState } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'

/** The strategies that run from now on, and what other strategies have left open. */
export function reportActiveStrategies(context: StepContext): void {
  const { state, notes } = context
  const { at, running: strategies } = state
  for (const name of strategies) requireRunning(context, name)
  for (const [name, own] of Object.entries(state.strategies))
    if (!strategies.includes(name)) tellLeftOut(context, name, own)
  notes.push({ type: 'started', at, strategies })
}

/** A start checks each file before: a strategy that cannot be compiled here would fail silently. */
export function requireRunning({ state, known, notes }: StepContext, strategy: string): void {
  if (known.has(strategy)) return
  const message = `${strategy} is configured to run, but its text is not a valid strategy: it places no orders`
  notes.push({ type: 'alert', at: state.at, strategy, message })
}

/** Only the own exits of a strategy close its holding, and none works while it does not run or has another name. */
function tellLeftOut({ state, notes }: StepContext, strategy: string, own: StrategyState): void {
  for (const [ladder, mine] of Object.entries(own.ladders)) {
    const { position } = mine.held
    const alive = allAlive(state, mine).length
    if (position === '0' && alive === 0) continue
    const holds = position === '0' ? [] : [`holds ${position}`]
    const rests = alive === 0 ? [] : [`has ${alive} orders that may be open`]
    const message =
      `${strategy}.${ladder} ${[...holds, ...rests].join(' and ')}, and ${strategy} does not run: its exits do not work. ` +
      `Start it as well, or write it off: rungs resolve ${strategy}.${ladder} gone`
    notes.push({ type: 'alert', at: state.at, strategy, ladder, message })
  }
}
