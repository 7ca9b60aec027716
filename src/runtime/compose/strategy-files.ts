import type { VenueDescription } from '#src/venue/capabilities.ts'
import type { MarketReads } from '#src/venue/port.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'
import type { Problem } from '#src/strategy/file/base-files.ts'
import { checkStrategy } from './strategy-check.ts'
import { venueRules } from './venue-rules.ts'
import { openStrategy, type SourceFile } from './strategy-file.ts'

type SourceOf = (problem: Problem) => SourceFile
/** `paths` are the file and those that it extends, found or not. */
type Opened = { path: string; paths: readonly string[]; sourceOf: SourceOf }
export type StrategyFile = Opened & { read: Read }
export type Faulty = Opened & { problems: Problem[] }

/** Further checks of a valid file, for its venue. */
export type Check = (read: Read) => Problem[]

/** Reads all files, and reports the problems of all of them. */
export function readStrategies(paths: readonly string[], check: Check) {
  const files: StrategyFile[] = []
  const faulty: Faulty[] = []
  for (const path of paths) {
    const { read, ...opened } = openStrategy(path)
    const problems = Array.isArray(read) ? read : check(read)
    if (Array.isArray(read) || problems.length > 0) faulty.push({ path, problems, ...opened })
    else files.push({ path, read, ...opened })
  }
  return { files, faulty }
}

/** Order ids contain the name of the strategy, so names must be unique. */
export function refuseTwins(files: readonly StrategyFile[]): void {
  const seen = new Map<string, string>()
  for (const { path, read } of files) {
    const { name } = read.strategy
    const first = seen.get(name)
    if (first !== undefined) {
      throw new BotError('STRATEGY_TWICE', { seen: `${first} and ${path} both have the name ${name}` })
    }
    seen.set(name, path)
  }
}

/** Names of strategies, and of ladders with a dot for the rung. */
export function namesOf(files: readonly StrategyFile[]): string[] {
  return files.flatMap(({ read: { strategy } }) => [
    strategy.name,
    ...Object.keys(strategy.ladder).map((ladder) => `${strategy.name}.${ladder}.`),
  ])
}

/** The check of `rungs check --venue` for this venue. */
export async function checkAt(
  market: Pick<MarketReads, 'lastPrices'>,
  { facts, orderLimit }: VenueDescription,
): Promise<Check> {
  const { batchMax, capabilities, pending = [] } = facts
  const told = capabilities.includes('market_data') ? await market.lastPrices() : undefined
  const prices = told?.kind === 'read' ? told.value : []
  const has = [...capabilities, ...pending]
  const rules = venueRules(facts.markets, prices, { batchMax, orderLimit, has })
  return (read) => checkStrategy(read, rules).problems
}
