import { isMap, isScalar, isSeq, Pair, Scalar, YAMLMap, YAMLSeq, type Node } from 'yaml'
import type { Mistake } from '#src/core/yaml/mistake.ts'
import type { Loops } from '#src/strategy/schema/market-schema.ts'

/** The rule that cancels the entries of a market while it is not active. */
const idlePrefix = 'idle_'
const nameLettersMax = 16

/**
 * Lets only active markets place entries, by rules alone: a rule that places a ladder also needs `active(market)`, and a rule at
 * the end of the file retires the ladders of each market that is not active.
 */
export function addFilterRules(contents: YAMLMap, loops: Loops, mistakes: Mistake[]): void {
  const rules = contents.get('rules', true)
  if (!isSeq(rules)) return
  const laddersIn = Map.groupBy(laddersOf(contents), ({ market }) => market)
  const marketOf = new Map([...laddersIn.values()].flat().map(({ name, market }) => [name, market]))
  const filtered = new Map(
    filteredLoops(loops).flatMap(([variable, { markets }]) =>
      Object.keys(markets).map((market) => [market, variable] as const),
    ),
  )
  for (const rule of rules.items) {
    const placed = ensuredBy(rule).map((name) => marketOf.get(name))
    const [market, ...others] = new Set(placed)
    if (!isMap(rule) || !placed.some((each) => filtered.has(each ?? ''))) continue
    if (market === undefined || others.length > 0) {
      const text = 'the rule places ladders of several markets, of which only some are active'
      mistakes.push({
        offset: offsetOf(rule),
        text,
        hint: 'write one rule for each market, such as id: place_$m',
      })
    } else needActive(rule, market)
  }
  for (const [market, variable] of filtered) {
    const at = contents.getIn(['for_each', variable], true)
    const ladders = laddersIn.get(market) ?? []
    if (ladders.length === 0) continue
    const most = nameLettersMax - idlePrefix.length
    if (market.length > most) {
      const text = `the name "${market}" has more than ${most} letters, and the rule ${idlePrefix}${market} retires its ladders`
      mistakes.push({
        offset: offsetOf(at),
        text,
        hint: 'write a shorter name before the market, such as btc: BTC_PERP',
      })
    }
    rules.items.push(
      idleRule(
        market,
        ladders.map(({ name }) => name),
        at,
      ),
    )
  }
}

/** The loops that choose among their markets. */
function filteredLoops(loops: Loops): [string, Loops[string]][] {
  return Object.entries(loops).filter(([, { when, active }]) => when !== undefined || active !== undefined)
}

function laddersOf(contents: YAMLMap): { name: string; market: string }[] {
  const ladders = contents.get('ladder', true)
  if (!isMap(ladders)) return []
  return ladders.items.map(({ key, value }) => {
    const market: unknown = isMap(value) ? value.get('market') : undefined
    return { name: String(key), market: String(market) }
  })
}

function ensuredBy(rule: unknown): string[] {
  const actions = isMap(rule) ? rule.get('do', true) : undefined
  if (!isSeq(actions)) return []
  return actions.items.flatMap((action) => {
    const ladder: unknown = isMap(action) ? action.get('ensure') : undefined
    return typeof ladder === 'string' ? [ladder] : []
  })
}

/** The parts keep their places, so a mistake in the condition is reported there. */
function needActive(rule: YAMLMap, market: string): void {
  const own = rule.get('when', true)
  const active = at(new Scalar(`active(${market})`), own ?? rule)
  if (own === undefined) {
    rule.items.push(new Pair(at(new Scalar('when'), rule), active))
    return
  }
  const both = at(new YAMLSeq(), own)
  both.items.push(own, active)
  rule.set('when', mapOf([['all', both]], own))
}

function idleRule(market: string, ladders: readonly string[], place: unknown): YAMLMap {
  const actions = at(new YAMLSeq(), place)
  for (const ladder of ladders) actions.items.push(mapOf([['retire', at(new Scalar(ladder), place)]], place))
  return mapOf(
    [
      ['id', at(new Scalar(`${idlePrefix}${market}`), place)],
      ['when', at(new Scalar(`!active(${market})`), place)],
      ['do', actions],
    ],
    place,
  )
}

export function mapOf(entries: [string, Node][], place: unknown): YAMLMap {
  const map = at(new YAMLMap(), place)
  for (const [key, value] of entries) map.items.push(new Pair(at(new Scalar(key), place), value))
  return map
}

/** A new node with the place of one in the file. */
export function at<New extends Node>(node: New, place: unknown): New {
  node.range = isMap(place) || isSeq(place) || isScalar(place) ? (place.range ?? null) : null
  return node
}

function offsetOf(node: unknown): number {
  return (isMap(node) || isSeq(node) || isScalar(node) ? node.range?.[0] : undefined) ?? 0
}
