import { play } from '#src/backtest/run.ts'
import { openStage, type Stage } from '#src/backtest/stage.ts'
import type { Command } from '#src/engine/commands.ts'
import type { BacktestInput, BacktestResult } from '#src/backtest/result.ts'

type Sent = [at: number, command: Command]

/** What leaves for the venue, and when; and what came of it. */
export async function played(
  input: BacktestInput,
  change: (stage: Stage) => Partial<Stage> = () => ({}),
): Promise<{ sent: Sent[]; result: BacktestResult }> {
  const stage = await openStage(input)
  const sent: Sent[] = []
  const journal: Stage['journal'] = {
    ...stage.journal,
    append: ({ at }, { commands }) => sent.push(...commands.map((command): Sent => [at, command])),
  }
  const result = await play({ ...stage, journal, ...change(stage) })
  return { sent, result }
}

/** Somebody looks at every point and once a second, besides when the strategies ask for it. */
export function everywhere({ scene, still, horizon }: Stage): Partial<Stage> {
  const bands = new Map([...scene.markets.keys()].map((symbol) => [symbol, { below: 0, above: 0 }]))
  const second = () => still.clock.now() - (still.clock.now() % 1000) + 1000
  return { horizon: (asked) => ({ at: Math.min(horizon(asked).at, second()), bands, closes: null }) }
}
