import { keyOf } from '#src/market/indicators/indicator-values.ts'
import { programsIn } from '#src/strategy/expressions/condition.ts'
import type { Program } from '#src/strategy/expressions/expression.ts'
import { reads } from '#src/strategy/expressions/reads.ts'
import { compileStrategy, type Compiled } from './compiled-strategy.ts'
import { lossPause, operatorPause, pauseOfRule } from '#src/engine/rules/pauses.ts'
import type { VenueFacts } from '#src/engine/events.ts'
import type { StrategyState } from '#src/engine/state/state.ts'

/**
 * Applies a changed file. Orders, holdings and episodes stay. A changed ladder is recomputed. A changed rule has missed no time
 * of its schedule and starts as false. A feed that needs more history starts again from the history that it receives.
 */
export function changeText(own: StrategyState, text: string, venue: VenueFacts): void {
  const [before, after] = [compileStrategy(own.text, venue), compileStrategy(text, venue)]
  own.text = text
  if (!after) return
  for (const name of Object.keys(own.feeds)) {
    if (!before || !isSameFeed(name, before, after)) delete own.feeds[name]
  }
  for (const { name } of after.ladders) {
    const ladder = own.ladders[name]
    if (ladder && (!before || ladderMeaning(name, before) !== ladderMeaning(name, after)))
      ladder.laidAt = null
  }
  for (const { id, schedule, when } of after.strategy.rules) {
    const [rule, old] = [own.rules[id], before?.strategy.rules.find((rule) => rule.id === id)]
    if (rule && old?.schedule !== schedule) rule.scheduledAt = null
    const [asked, now] = [before && ruleMeaning(id, old?.when, before), ruleMeaning(id, when, after)]
    if (rule && asked !== now) rule.trueSince = null
  }
  const kept = new Set([lossPause, operatorPause, ...after.strategy.rules.map(({ id }) => pauseOfRule(id))])
  for (const pause of Object.keys(own.pauses)) if (!kept.has(pause)) delete own.pauses[pause]
}

/** A ladder with the expressions from which it is computed, and what they read of the file. */
function ladderMeaning(name: string, compiled: Compiled): string {
  const { file } = compiled.ladders.find((ladder) => ladder.name === name) ?? {}
  const { anchor, unit, size, scale } = compiled.programs.ladders.get(name) ?? {}
  const prices = [anchor, unit, size, scale]
  const texts = prices.map((price) => (price && 'ast' in price ? price.text : price))
  const programs = prices.filter((price) => price !== undefined && 'ast' in price)
  return JSON.stringify([file, texts, partsRead(programs, compiled)])
}

/** The condition of a rule with what it reads of the file. */
function ruleMeaning(id: string, when: unknown, compiled: Compiled): string {
  const condition = compiled.programs.conditions.get(id)
  return JSON.stringify([when, partsRead(condition ? programsIn(condition) : [], compiled)])
}

/** What expressions read of the file: other names of `let` and other markets of a loop do not count. */
function partsRead(read: readonly Program[], { strategy, programs }: Compiled): unknown[] {
  const { names, calls } = reads(read, programs.lets)
  const chosen = calls.flatMap(({ name, of }) =>
    name === 'active'
      ? Object.values(strategy.for_each).filter(
          ({ markets }) => of !== undefined && Object.hasOwn(markets, of),
        )
      : [],
  )
  const lets = Object.entries(strategy.let).filter(([name]) => names.has(name))
  const loops = chosen.map(({ when: fits, rank, active }) => [fits, rank, active])
  return [strategy.functions, lets, loops]
}

function isSameFeed(name: string, before: Compiled, after: Compiled): boolean {
  const [old, now] = [before, after].map(({ feeds, programs }): unknown => {
    const feed = feeds.find((feed) => feed.name === name)
    const wanted = programs.wanted.get(name) ?? []
    return feed && [feed, programs.depth, wanted.map((one) => keyOf(one.name, one.parameters))]
  })
  return now !== undefined && JSON.stringify(old) === JSON.stringify(now)
}
