import { play } from '#src/backtest/run.ts'
import { openStage, type Stage } from '#src/backtest/stage.ts'
import type { Command } from '#src/engine/commands.ts'
import type { BacktestInput, BacktestResult } from '#src/backtest/result.ts'
import type { Worth } from '#src/engine/state.ts'
import type { BotEvent } from '#src/logs/events.ts'

type Sent = [at: number, command: Command]
type Played = {
  sent: Sent[]
  notes: BotEvent[]
  /** By strategy. */
  worth: Record<string, Pick<Worth, 'peak' | 'maxDrawdown'>>
  result: BacktestResult
}

/** The orders that are sent, the events of the engine, best result and drawdown of each strategy, and the result. */
export async function played(
  input: BacktestInput,
  change: (stage: Stage) => Partial<Stage> = () => ({}),
): Promise<Played> {
  const stage = await openStage(input)
  const sent: Sent[] = []
  const notes: BotEvent[] = []
  const journal: Stage['journal'] = {
    ...stage.journal,
    append: (event, step) => {
      sent.push(...step.commands.map((command): Sent => [event.at, command]))
      notes.push(...step.notes)
    },
  }
  const result = await play({ ...stage, journal, ...change(stage) })
  const worth = Object.entries(stage.engine.state.strategies).map(
    ([
      name,
      {
        worth: { peak, maxDrawdown = '0' },
      },
    ]) => [name, { peak, maxDrawdown }] as const,
  )
  return { sent, notes, worth: Object.fromEntries(worth), result }
}

/** Sends every price, evaluates everything and reads the account each second, as live, without the horizon. */
export function everywhere({ scene, still }: Stage): Partial<Stage> {
  const bands = new Map([...scene.markets.keys()].map((symbol) => [symbol, { below: 0, above: 0 }]))
  const second = () => still.clock.now() - (still.clock.now() % 1000) + 1000
  return { readsAccount: true, horizon: () => ({ at: second(), bands, closes: null, equity: true }) }
}
