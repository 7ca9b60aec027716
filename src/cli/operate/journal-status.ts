import { Engine } from '#src/engine/engine.ts'
import { engineVersion } from '#src/engine/engine-version.ts'
import type { History } from '#src/journal/port.ts'
import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import { statusOf, type BotStatus } from '#src/operate/dashboard/status.ts'
import { StrategyCache } from '#src/operate/dashboard/strategy-cache.ts'
import { refusalOf } from '#src/venues/whitebit/adapter/refusals.ts'

/** The status of a folder in which no bot runs, by its journal. */
export function journalStatus(folder: string): BotStatus {
  using history = new SqliteHistory(folder)
  const { state, known } = lastStateOf(history)
  return statusOf(state, known, null)
}

/** The state after the last record of a journal, and its strategies. */
export function lastStateOf(history: History) {
  const { state } = history.machine(engineVersion, (kept) => new Engine(kept, { refusalOf }))
  return { state, known: new StrategyCache().of(state) }
}
