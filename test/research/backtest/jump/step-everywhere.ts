import { runSimulation } from '#src/research/backtest/run-backtest.ts'
import { openSimulation, type BacktestSimulation } from '#src/research/backtest/simulation.ts'
import { within } from '#src/research/backtest/jump/price-bands.ts'
import { DirectAccountMonitor, type AccountView } from '#src/research/backtest/loop/direct-account-monitor.ts'
import type { Command } from '#src/engine/commands.ts'
import type { BacktestInput, BacktestResult } from '#src/research/backtest/result/result.ts'
import type { ProfitAndLoss } from '#src/engine/state/state.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'

type Sent = [at: number, command: Command]
type Played = {
  sent: Sent[]
  notes: BotEvent[]
  /** By strategy. */
  worth: Record<string, Pick<ProfitAndLoss, 'peak' | 'maxDrawdown'>>
  result: BacktestResult
  read: Read[]
}

/** The orders that are sent, the events of the engine, best result and drawdown of each strategy, and the result. */
export async function played(
  input: BacktestInput,
  change: (stage: BacktestSimulation) => Partial<BacktestSimulation> = () => ({}),
): Promise<Played> {
  const stage = await openSimulation(input)
  const sent: Sent[] = []
  const notes: BotEvent[] = []
  const journal: BacktestSimulation['journal'] = {
    ...stage.journal,
    append: (event, step) => {
      sent.push(...step.commands.map((command): Sent => [event.at, command]))
      notes.push(...step.notes)
    },
  }
  const result = await runSimulation({ ...stage, journal, ...change(stage) })
  const worth = Object.entries(stage.engine.state.strategies).map(
    ([
      name,
      {
        worth: { peak, maxDrawdown = '0' },
      },
    ]) => [name, { peak, maxDrawdown }] as const,
  )
  const read = [...stage.scene.strategies.values()]
  return { sent, notes, worth: Object.fromEntries(worth), result, read }
}

/**
 * Evaluates everything and reads the account each second, as live, and at each trade of markets whose book no strategy reads.
 * A line inside a bar has too many prices to evaluate each: those that the strategies watch are evaluated as soon as they come.
 */
export function everywhere({
  scene,
  still,
  recorder,
  lookout,
}: BacktestSimulation): Partial<BacktestSimulation> {
  const read = new Set([...scene.strategies.values()].flatMap(booksOf))
  const trades = [...scene.markets].flatMap(([symbol, { kind }]) =>
    kind === 'trades' && !read.has(symbol) ? [symbol] : [],
  )
  recorder.isDue = () => true
  const second = () => still.clock.now() - (still.clock.now() % 1000) + 1000
  const horizon: BacktestSimulation['horizon'] = ({ ages }) => {
    const watched = recorder.horizon({ all: true, ages })
    // Also each price of a trailing exit: a jump looks only where the price turns back. For a book that is read, the walk, too.
    const seen = new Map([...watched.peaks].filter(([symbol]) => read.has(symbol)))
    const rest = new Map([...watched.peaks].filter(([symbol]) => !read.has(symbol)))
    const bands = new Map(within(watched.bands, rest))
    for (const symbol of trades) bands.set(symbol, { below: 0, above: 0 })
    const urgent = new Map(within(watched.urgent, rest))
    for (const symbol of trades) urgent.set(symbol, { below: 0, above: 0 })
    return { at: second(), bands, urgent, peaks: seen, closes: null, equity: null }
  }
  const readsAccount = { equity: true, balances: true }
  return { readsAccount, horizon, lookout: (tell) => alwaysReading(lookout(tell)) }
}

/** A backtest skips a reading of the account if nothing has changed it. */
function alwaysReading(view: AccountView): AccountView {
  if (!(view instanceof DirectAccountMonitor)) throw new Error('the lookout is another one')
  const tellAccount = () => {
    view.balancesChanged()
    return view.tellAccount(true)
  }
  return { forBot: view.forBot, tellSeen: view.tellSeen, tellAccount }
}

/** Of which markets a strategy reads the best prices. */
function booksOf({ strategy: { feeds, markets } }: Read): string[] {
  return Object.values(feeds).flatMap(({ source, market }) =>
    source === 'book' ? [markets[market]?.symbol ?? ''] : [],
  )
}
