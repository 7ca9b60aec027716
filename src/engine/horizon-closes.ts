import { depthOf } from '#src/strategy/condition.ts'
import type { Programs } from '#src/strategy/programs.ts'
import { textsOf } from '#src/strategy/texts.ts'
import type { Compiled } from './compiled.ts'
import { middleOf } from './horizon-edges.ts'
import { narrow, type Band } from './price-bands.ts'
import type { State } from './state.ts'

/**
 * Between which prices no close can mean anything; null while each has to be looked at. Where all that a file asks of its
 * candles is on which side of some numbers the last close is, the truth of its rules changes with a close on another side
 * alone: as long as prices stay on this one, the last close of them says as much as all.
 */
export function closesHorizon(state: State, known: ReadonlyMap<string, Compiled>): Map<string, Band> | null {
  const bands = new Map<string, Band>()
  for (const name of state.running) {
    const [compiled, own] = [known.get(name), state.strategies[name]]
    if (!compiled || !own) continue
    const asked = askedOf(compiled)
    if (asked === null) return null
    for (const { name: feed, symbol, interval, staleMs } of compiled.feeds) {
      if (interval === null) continue
      const before = own.feeds[feed]
      const close = before?.readings.now?.close
      const price = middleOf(state, symbol)
      if (close === undefined || price === undefined || state.at - (before?.at ?? 0) > staleMs) return null
      for (const number of asked.get(feed) ?? []) {
        if (number === close || number > close !== number > price) return null
        narrow(bands, symbol, price, number)
      }
      const band = bands.get(symbol)
      const { bid, ask } = state.quotes[symbol] ?? {}
      if (band && !((bid ?? 0) > band.below && (ask ?? Infinity) < band.above)) return null
    }
  }
  return bands
}

type Asked = ReadonlyMap<string, readonly number[]>
const askedByProgram = new WeakMap<Compiled, { asked: Asked | null }>()

/** By feed, the numbers that its last close is compared with; null where anything else is asked of candles. */
function askedOf(compiled: Compiled): Asked | null {
  let known = askedByProgram.get(compiled)
  if (!known) {
    const feeds = compiled.feeds.flatMap(({ name, interval }) => (interval === null ? [] : [name]))
    askedByProgram.set(compiled, (known = { asked: comparisonsIn(compiled.programs, feeds) }))
  }
  return known.asked
}

const number = String.raw`(-?\d+(?:\.\d+)?)`
const last = String.raw`last\(\s*(\w+)\s*\)`
const compared = String.raw`(?:[<>]=?|[!=]=)`
const forms = [
  String.raw`between\(\s*${last}\s*,\s*${number}\s*,\s*${number}\s*\)`,
  String.raw`${last}\s*${compared}\s*${number}`,
  String.raw`${number}\s*${compared}\s*${last}`,
]
/** With nothing around it that could make another number of either side. */
const comparison = new RegExp(
  String.raw`(?<=^\s*|[(!]\s*|&&\s*|\|\|\s*)(?:${forms.join('|')})(?=\s*(?:$|\)|&&|\|\|))`,
  'g',
)

const plain = new RegExp(String.raw`^\s*(?:${number}|${last})\s*$`)

function isPlain({ program: { text } }: Programs['lets'][number]): boolean {
  return plain.test(text)
}

function comparisonsIn(programs: Programs, feeds: readonly string[]): Asked | null {
  // Whoever looks back at the closes before counts them.
  if ([...programs.conditions.values()].some((condition) => depthOf(condition) > 0)) return null
  const asked = new Map(feeds.map((feed) => [feed, new Set<number>()]))
  // What stands for a number or for the last close itself; whatever else has a name is read as a text of its own.
  const meanings = new Map(programs.lets.filter(isPlain).map(({ name, program }) => [name, program.text]))
  for (const text of textsOf({ ...programs, lets: programs.lets.filter((each) => !isPlain(each)) })) {
    const whole = text.replaceAll(/\b[a-z_]\w*\b/gi, (word) => meanings.get(word) ?? word)
    const rest = whole.replaceAll(comparison, (found) => {
      const feed = new RegExp(last).exec(found)?.[1] ?? ''
      const numbers = found.replace(new RegExp(last), '').match(new RegExp(number, 'g')) ?? []
      for (const each of numbers) asked.get(feed)?.add(Number(each))
      return 'true'
    })
    if ((rest.match(/\w+/g) ?? []).some((word) => asked.has(word))) return null
  }
  return new Map([...asked].map(([feed, numbers]) => [feed, [...numbers]]))
}
