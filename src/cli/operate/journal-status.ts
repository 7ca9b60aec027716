import { Engine } from '#src/engine/engine.ts'
import { engineVersion } from '#src/engine/engine-version.ts'
import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import { statusOf, type BotStatus } from '#src/operate/dashboard/status.ts'
import { StrategyCache } from '#src/operate/dashboard/strategy-cache.ts'
import { refusalOf } from '#src/venues/whitebit/adapter/refusals.ts'

/** The status of a folder in which no bot runs, by its journal. */
export function journalStatus(folder: string): BotStatus {
  using history = new SqliteHistory(folder)
  const { state } = history.machine(engineVersion, (state) => new Engine(state, { refusalOf }))
  return statusOf(state, new StrategyCache().of(state), null)
}
