import { candleIntervals } from '#src/market/candles/candle-intervals.ts'
import { closest, hintOf } from '#src/core/yaml/suggestion.ts'
import { mistakesMax } from '#src/core/yaml/mistake.ts'
import { uncapped } from './capital.ts'
import { usesOf } from './capabilities.ts'
import type { KeyPath, StrategyFault } from './strategy-fault.ts'
import { ladderFaults } from './ladder-faults.ts'
import { ownNames, reserved } from '#src/strategy/expressions/language.ts'
import { signalFaults } from '#src/strategy/signals/signal-faults.ts'
import { closeFaults, ruleFaults } from './rule-faults.ts'
import { goalsOf } from './rule-goals.ts'
import { sizeFaults } from './size-faults.ts'
import { polledIn, type Strategy } from '#src/strategy/schema/strategy-schema.ts'

/** The sections whose parts have names. */
type NamedPart = 'markets' | 'feeds' | 'signals' | Polled | 'ladder' | 'rules'
/** Feeds with values of their own in tests, and an example of these. */
const polledExamples = {
  futures: '{ funding: 0.0001 }',
  depth: '{ bid_volume: 12, ask_volume: 8 }',
  trades: '{ buy_volume: 12, sell_volume: 8 }',
}
type Polled = keyof typeof polledExamples
const polledSources = ['futures', 'depth', 'trades'] as const
/** Sections that must have a part. */
const neverEmpty = ['markets', 'ladder'] as const
/** `also`: other names that are allowed. */
type Among = { onKey?: boolean; also?: readonly string[] }
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
    this.#faults.push(...signalFaults(this.#strategy))
    this.#faults.push(...sizeFaults(this.#strategy))
    return this.#faults
  }

  #names(): void {
    const seen = new Map<string, string>(Object.keys(ownNames).map((name) => [name, 'built in']))
    for (const name of reserved) seen.set(name, 'a reserved word')
    for (const section of ['markets', 'feeds', 'ladder', 'let'] as const) {
      const more = section === 'feeds' ? { ...this.#strategy.signals, ...polledIn(this.#strategy) } : {}
      for (const name of Object.keys({ ...this.#strategy[section], ...more })) {
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
      const [path, from] = [
        ['markets', name],
        [
          ['markets', name],
          ['markets', other],
        ],
      ]
      this.#faults.push({ path, from, onKey: true, message, hint: `use ${other} everywhere` })
    }
    for (const section of neverEmpty) {
      if (Object.keys(this.#strategy[section]).length > 0) continue
      const [path, hint] = [[section], 'describe at least one']
      this.#faults.push({ path, from: [path], message: `${section} is empty`, hint })
    }
  }

  #feeds(): void {
    for (const [name, { market }] of Object.entries(polledIn(this.#strategy)))
      this.#among(market, 'markets', ['feeds', name, 'market'])
    for (const [name, feed] of Object.entries(this.#strategy.feeds)) {
      this.#among(feed.market, 'markets', ['feeds', name, 'market'])
      if (feed.source === 'book' || feed.stale_after === undefined) continue
      if (feed.stale_after >= candleIntervals[feed.interval]) continue
      const message = `stale_after is shorter than a candle of ${feed.interval}: the feed is stale until the next candle closes`
      const hint = `write more than ${feed.interval}`
      const path = ['feeds', name]
      this.#faults.push({ path: [...path, 'stale_after'], from: [path], message, hint })
    }
  }

  #ladder(name: string): void {
    const ladder = this.#strategy.ladder[name]!
    const path = ['ladder', name]
    this.#among(ladder.market, 'markets', [...path, 'market'])
    for (const fault of ladderFaults(this.#strategy.name, name, ladder)) {
      // A fault about the name of a ladder reads the name of the strategy, too.
      const from = [['name'], ...(fault.from ?? []).map((place) => path.concat(place.map(String)))]
      this.#faults.push({ ...fault, path: [...path, ...fault.path], from })
    }
  }

  #rules(): void {
    const ids = new Map<string, number>()
    const ensured = new Set<string>()
    for (const [index, rule] of this.#strategy.rules.entries()) {
      const twin = ids.get(rule.id)
      if (twin !== undefined) {
        const from = [['rules', twin, 'id']]
        const hint = 'use another id'
        this.#faults.push({ path: ['rules', index, 'id'], from, message: 'this id is used twice', hint })
      }
      ids.set(rule.id, twin ?? index)
      for (const { path, from = [], ...fault } of ruleFaults(rule)) {
        const inRule = (place: KeyPath) => ['rules', index, ...place]
        this.#faults.push({ ...fault, path: inRule(path), from: from.map(inRule) })
      }
      const goals = new Map<string, string>()
      for (const [step, action] of rule.do.entries()) {
        const path = ['rules', index, 'do', step]
        const { close } = action
        if (close) this.#faults.push(...closeFaults(close, this.#strategy.ladder, [...path, 'close']))
        if (close) this.#among(close.of, 'ladder', [...path, 'close', 'of'], { also: this.#markets })
        for (const goal of ['ensure', 'freeze', 'retire'] as const) {
          const ladder = action[goal]
          if (ladder === undefined) continue
          this.#among(ladder, 'ladder', [...path, goal])
          if (goal === 'ensure') for (const name of this.#meant(ladder)) ensured.add(name)
        }
        for (const { ladder, goal, close } of goalsOf(action, this.#strategy.ladder)) {
          const word = close === undefined ? goal : 'close'
          const other = goals.get(ladder)
          goals.set(ladder, word)
          if (other === undefined || other === word) continue
          const message = `the same rule says ${other}: ${ladder}, and only the last action takes effect`
          const from = [['rules', index, 'do']]
          this.#faults.push({ path: [...path, word], from, onKey: true, message, hint: 'keep one of them' })
        }
      }
    }
    const from = this.#strategy.rules.map((_, index) => ['rules', index, 'do'])
    for (const name of this.#ladders.filter((name) => !ensured.has(name))) {
      const [message, hint] = [`no rule ever places "${name}"`, `add "ensure: ${name}" to a rule`]
      this.#faults.push({ path: ['ladder', name], from, onKey: true, message, hint })
    }
  }

  #limits(): void {
    const { risk, submit } = this.#strategy
    for (const name of Object.keys(risk.max_notional))
      this.#among(name, 'markets', ['risk', 'max_notional', name], { onKey: true, also: sums })
    // A misspelled name may be the one that is missing.
    const known = new Set([...sums, ...this.#markets])
    const areKnown = Object.keys(risk.max_notional).every((name) => known.has(name))
    const markets = areKnown ? uncapped(this.#strategy) : []
    for (const name of markets.filter((market) => this.#markets.includes(market))) {
      const message = `"${name}" has no max_notional, and drawdown is a share of max_notional`
      const hint = `add ${name}, or total for all markets`
      const from = this.#ladders.map((ladder) => ['ladder', ladder, 'market'])
      this.#faults.push({ path: ['risk', 'max_notional'], from, message, hint })
    }
    for (const [group, { markets }] of Object.entries(risk.groups ?? {}))
      for (const [index, name] of markets.entries())
        this.#among(name, 'markets', ['risk', 'groups', group, 'markets', index])
    for (const name of Object.keys(risk.max_position ?? {}))
      this.#among(name, 'markets', ['risk', 'max_position', name], { onKey: true })
    if (typeof submit.stopOnFail === 'boolean') return
    for (const name of Object.keys(submit.stopOnFail))
      this.#among(name, 'ladder', ['submit', 'stopOnFail', name], { onKey: true })
    const written = new Set(Object.keys(submit.stopOnFail).flatMap((name) => this.#meant(name)))
    for (const name of this.#ladders.filter((name) => !written.has(name))) {
      const hint = `add ${name}: true or ${name}: false`
      this.#faults.push({ path: ['submit', 'stopOnFail'], message: `the ladder "${name}" is missing`, hint })
    }
  }

  #tests(): void {
    for (const [index, { given, expect }] of this.#strategy.tests.entries()) {
      const inside = (part: 'given' | 'expect', section: string, keys: object, known: NamedPart) => {
        for (const name of Object.keys(keys))
          this.#among(name, known, ['tests', index, part, section, name], { onKey: true })
      }
      inside('given', 'feeds', given.feeds, 'feeds')
      inside('given', 'signals', given.signals, 'signals')
      for (const source of polledSources) inside('given', source, given[source], source)
      for (const field of ['position', 'avg_entry', 'net_fills'] as const)
        inside('given', field, given[field], 'markets')
      for (const field of ['filled_levels', 'open_hours'] as const)
        inside('given', field, given[field], 'ladder')
      inside('expect', 'rules', expect.rules, 'rules')
      inside('expect', 'rungs', expect.rungs, 'ladder')
      for (const [name, feed] of Object.entries(given.feeds)) {
        const isBook = feed instanceof Object && 'bid' in feed
        if (
          this.#strategy.feeds[name] === undefined ||
          isBook === (this.#strategy.feeds[name].source === 'book')
        )
          continue
        const hint = isBook ? 'write a price, closes, or from and to' : 'write { bid: 59999, ask: 60001 }'
        const message = `"${name}" is a feed of ${isBook ? 'candles' : 'a book'}`
        const path = ['tests', index, 'given', 'feeds', name]
        this.#faults.push({ path, from: [['feeds', name]], message, hint })
      }
    }
  }

  #among(name: string, section: NamedPart, path: KeyPath, { onKey = false, also = [] }: Among = {}): void {
    const { rules } = this.#strategy
    const own = section === 'rules' ? rules.map(({ id }) => id) : Object.keys(this.#strategy[section])
    const known = [...own, ...also]
    if (known.includes(name) || this.#faults.length >= mistakesMax) return
    // The empty section is the mistake.
    if (own.length === 0 && neverEmpty.some((each) => each === section)) return
    const polled = polledSources.find((source) => Object.hasOwn(this.#strategy[source], name))
    if (section === 'feeds' && polled) {
      const message = `"${name}" is a feed of ${polled}`
      const hint = `write it in ${polled}: ${polled}: { ${name}: ${polledExamples[polled]} }`
      this.#faults.push({ path, from: [['feeds', name]], onKey, message, hint })
      return
    }
    const source = section === 'signals' ? 'signal' : polledSources.find((each) => each === section)
    const [written, how] = source === undefined ? [section, ''] : ['feeds', `, with source: ${source}`]
    const hint =
      hintOf(name, known) ??
      (own.length > 0 ? `use one of ${known.join(', ')}` : `describe it in ${written}${how}`)
    // The name of a rule is inside of the rule.
    const from = section === 'rules' ? rules.map((_, index) => ['rules', index, 'id']) : [[written, name]]
    this.#faults.push({ path, from, onKey, message: `"${name}" does not exist`, hint })
  }

  /** A misspelled name stands for the ladder that was probably meant, or for any. */
  #meant(ladder: string): readonly string[] {
    if (this.#ladders.includes(ladder)) return [ladder]
    const meant = closest(ladder, this.#ladders)
    return meant === undefined ? this.#ladders : [meant]
  }

  #needs(): void {
    for (const { capability, path, what } of usesOf(this.#strategy)) {
      if (this.#strategy.needs.includes(capability)) continue
      const hint = `add ${capability} to needs, if the venue has it`
      this.#faults.push({
        path,
        message: `${what} needs the capability ${capability}`,
        from: [['needs']],
        hint,
      })
    }
  }
}
