import { candleIntervals } from '#src/market/candles/candle-intervals.ts'
import { hintOf } from '#src/core/yaml/suggestion.ts'
import { mistakesMax } from '#src/core/yaml/mistake.ts'
import { uncapped } from './capital.ts'
import { usesOf } from './capabilities.ts'
import type { StrategyFault } from './strategy-fault.ts'
import { ladderFaults } from './ladder-faults.ts'
import { reserved, usage } from '#src/strategy/expressions/language.ts'
import { scheduleOf, shortestGap } from './schedule.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

/** The account and the time of day, available in every strategy. */
export const ownNames = { account: 'Account', clock: 'Clock' } as const
const levelsMax = 10_000
const testsLevelsMax = 50_000
/** Rows of `max_notional` that are not markets. */
const sums = ['total', 'net']

/**
 * Checks the references of a strategy to its own parts: that they exist, fit together, and have the capabilities they
 * need.
 */
export function referenceFaults(strategy: Strategy): StrategyFault[] {
  return new ReferenceCheck(strategy).faults()
}

class ReferenceCheck {
  readonly #strategy: Strategy
  readonly #markets: readonly string[]
  readonly #ladders: readonly string[]
  readonly #faults: StrategyFault[] = []

  constructor(strategy: Strategy) {
    this.#strategy = strategy
    this.#markets = Object.keys(strategy.markets)
    this.#ladders = Object.keys(strategy.ladder)
  }

  faults(): StrategyFault[] {
    this.#names()
    this.#feeds()
    this.#needs()
    for (const name of this.#ladders) this.#ladder(name)
    this.#rules()
    this.#limits()
    this.#tests()
    this.#sizes()
    return this.#faults
  }

  #names(): void {
    const seen = new Map<string, string>(Object.keys(ownNames).map((name) => [name, 'built in']))
    for (const name of usage.keys()) seen.set(name, 'a function')
    for (const name of reserved) seen.set(name, 'a reserved word')
    for (const section of ['markets', 'feeds', 'ladder', 'let'] as const) {
      for (const name of Object.keys(this.#strategy[section])) {
        const taken = seen.get(name)
        if (taken !== undefined) {
          const message = `the name "${name}" is already used: it is ${taken}`
          this.#faults.push({ path: [section, name], onKey: true, message, hint: 'use another name' })
        }
        seen.set(name, `in ${section}`)
      }
    }
    const symbols = new Map<string, string>()
    for (const [name, { symbol, positionSide }] of Object.entries(this.#strategy.markets)) {
      const side = `${symbol} ${positionSide}`
      const other = symbols.get(side)
      symbols.set(side, other ?? name)
      if (other === undefined) continue
      const message = `"${other}" and "${name}" are the same market with separate limits`
      this.#faults.push({ path: ['markets', name], onKey: true, message, hint: `use ${other} everywhere` })
    }
    for (const section of ['markets', 'ladder'] as const) {
      if (Object.keys(this.#strategy[section]).length > 0) continue
      this.#faults.push({ path: [section], message: `${section} is empty`, hint: 'describe at least one' })
    }
  }

  #feeds(): void {
    for (const [name, feed] of Object.entries(this.#strategy.feeds)) {
      this.#among(feed.market, this.#markets, ['feeds', name, 'market'])
      if (feed.source === 'book' || feed.stale_after === undefined) continue
      if (feed.stale_after >= candleIntervals[feed.interval]) continue
      const message = `stale_after is shorter than a candle of ${feed.interval}: the feed is stale until the next candle closes`
      const hint = `write more than ${feed.interval}`
      this.#faults.push({ path: ['feeds', name, 'stale_after'], message, hint })
    }
  }

  /** A limit on the size: a running bot compiles all of them when the file changes, and decides nothing meanwhile. */
  #sizes(): void {
    const levels = (names: readonly string[]) =>
      names.reduce((sum, name) => sum + (this.#strategy.ladder[name]?.levels ?? 0), 0)
    const laddersLevels = levels(this.#ladders)
    if (laddersLevels > levelsMax) {
      const message = `all ladders together have ${laddersLevels} levels, more than ${levelsMax}`
      this.#faults.push({ path: ['ladder'], message, hint: 'distribute them over several strategies' })
    }
    const testsLevels = this.#strategy.tests.reduce(
      (sum, { expect }) => sum + levels(Object.keys(expect.rungs)),
      0,
    )
    if (testsLevels <= testsLevelsMax) return
    const message = `the tests compute ${testsLevels} levels, more than ${testsLevelsMax}`
    this.#faults.push({
      path: ['tests'],
      message,
      hint: 'test fewer ladders, or ladders with fewer levels',
    })
  }

  #ladder(name: string): void {
    const ladder = this.#strategy.ladder[name]!
    const path = ['ladder', name]
    this.#among(ladder.market, this.#markets, [...path, 'market'])
    for (const fault of ladderFaults(this.#strategy.name, name, ladder)) {
      this.#faults.push({ ...fault, path: [...path, ...fault.path] })
    }
  }

  #rules(): void {
    const ids = new Set<string>()
    const ensured = new Set<string>()
    for (const [index, rule] of this.#strategy.rules.entries()) {
      if (ids.has(rule.id))
        this.#faults.push({ path: ['rules', index, 'id'], message: 'this id is used twice' })
      ids.add(rule.id)
      const late = rule.missed?.run_once_within
      if (
        late !== undefined &&
        rule.schedule !== undefined &&
        late >= shortestGap(scheduleOf(rule.schedule))
      ) {
        const message =
          'run_once_within is longer than the time to the next schedule, when the rule acts again'
        const hint = 'write the maximum delay, such as 2h'
        this.#faults.push({ path: ['rules', index, 'missed', 'run_once_within'], message, hint })
      }
      const goals = new Map<string, string>()
      for (const [step, action] of rule.do.entries()) {
        const path = ['rules', index, 'do', step]
        for (const goal of ['ensure', 'freeze', 'retire'] as const) {
          const ladder = action[goal]
          if (ladder !== undefined) this.#among(ladder, this.#ladders, [...path, goal])
          if (ladder === undefined) continue
          if (goal === 'ensure') ensured.add(ladder)
          const other = goals.get(ladder)
          goals.set(ladder, goal)
          if (other === undefined || other === goal) continue
          const message = `the same rule says ${other}: ${ladder}, and only the last action takes effect`
          this.#faults.push({ path: [...path, goal], onKey: true, message, hint: 'keep one of them' })
        }
      }
    }
    for (const name of this.#ladders) {
      if (ensured.has(name)) continue
      const hint = `add "ensure: ${name}" to a rule`
      this.#faults.push({
        path: ['ladder', name],
        onKey: true,
        message: `no rule ever places "${name}"`,
        hint,
      })
    }
  }

  #limits(): void {
    const { risk, submit } = this.#strategy
    for (const name of Object.keys(risk.max_notional))
      this.#among(name, [...this.#markets, ...sums], ['risk', 'max_notional', name], true)
    for (const name of uncapped(this.#strategy).filter((market) => this.#markets.includes(market))) {
      const message = `"${name}" has no max_notional, and drawdown is a share of max_notional`
      const hint = `add ${name}, or total for all markets`
      this.#faults.push({ path: ['risk', 'max_notional'], message, hint })
    }
    for (const name of Object.keys(risk.max_position ?? {}))
      this.#among(name, this.#markets, ['risk', 'max_position', name], true)
    if (typeof submit.stopOnFail === 'boolean') return
    for (const name of Object.keys(submit.stopOnFail))
      this.#among(name, this.#ladders, ['submit', 'stopOnFail', name], true)
    for (const name of this.#ladders) {
      if (Object.hasOwn(submit.stopOnFail, name)) continue
      const hint = `add ${name}: true or ${name}: false`
      this.#faults.push({ path: ['submit', 'stopOnFail'], message: `the ladder "${name}" is missing`, hint })
    }
  }

  #tests(): void {
    const feeds = Object.keys(this.#strategy.feeds)
    const ids = this.#strategy.rules.map(({ id }) => id)
    for (const [index, { given, expect }] of this.#strategy.tests.entries()) {
      const inside = (part: 'given' | 'expect', section: string, keys: object, known: readonly string[]) => {
        for (const name of Object.keys(keys))
          this.#among(name, known, ['tests', index, part, section, name], true)
      }
      inside('given', 'feeds', given.feeds, feeds)
      for (const field of ['position', 'avg_entry', 'net_fills'] as const)
        inside('given', field, given[field], this.#markets)
      for (const field of ['filled_levels', 'open_hours'] as const)
        inside('given', field, given[field], this.#ladders)
      inside('expect', 'rules', expect.rules, ids)
      inside('expect', 'rungs', expect.rungs, this.#ladders)
      for (const [name, feed] of Object.entries(given.feeds)) {
        const isBook = feed instanceof Object && 'bid' in feed
        if (
          this.#strategy.feeds[name] === undefined ||
          isBook === (this.#strategy.feeds[name].source === 'book')
        )
          continue
        const hint = isBook ? 'write a price, closes, or from and to' : 'write { bid: 59999, ask: 60001 }'
        const message = `"${name}" is a feed of ${isBook ? 'candles' : 'a book'}`
        this.#faults.push({ path: ['tests', index, 'given', 'feeds', name], message, hint })
      }
    }
  }

  #among(name: string, known: readonly string[], path: PropertyKey[], onKey = false): void {
    if (known.includes(name) || this.#faults.length >= mistakesMax) return
    const hint = hintOf(name, known) ?? (known.length > 0 ? `use one of ${known.join(', ')}` : undefined)
    this.#faults.push({ path, onKey, message: `"${name}" does not exist`, hint })
  }

  #needs(): void {
    for (const { capability, path, what } of usesOf(this.#strategy)) {
      if (this.#strategy.needs.includes(capability)) continue
      const hint = `add ${capability} to needs, if the venue has it`
      this.#faults.push({ path, message: `${what} needs the capability ${capability}`, hint })
    }
  }
}
