import fc from 'fast-check'
import { expect, test } from 'vitest'
import { frozenCombinations, type OrderHolder } from '#src/engine/orders/frozen-combinations.ts'
import { runs } from '#test/properties/runs.ts'

const holder = (id: string, price: string, left: string): OrderHolder => ({
  id,
  price,
  left,
  amountDigits: 3,
})
const ids = (found: ReturnType<typeof frozenCombinations>) =>
  'placed' in found ? [...found.placed].toSorted() : found.why
const flat = { leverage: 1, markets: 1, isOneQueue: true, resting: [] }

test('nothing held back and no resting order mean that none was placed', () => {
  const doubtful = Array.from({ length: 20 }, (_, index) =>
    holder(`g.${index}`, `${60_000 - 100 * index}`, '0.01'),
  )
  expect(ids(frozenCombinations({ ...flat, freeze: '0', doubtful }))).toEqual([])
})

test('the sum of all held back means that all were placed, however similar they are', () => {
  const doubtful = Array.from({ length: 20 }, (_, index) => holder(`g.${index}`, '60000', '0.01'))
  expect(ids(frozenCombinations({ ...flat, freeze: '12000', doubtful }))).toEqual(
    doubtful.map(({ id }) => id).toSorted(),
  )
})

test('the amount of known resting orders is subtracted first', () => {
  const resting = [holder('r', '59990.3', '0.02')]
  const doubtful = [holder('a', '59871.7', '0.01'), holder('b', '59753.1', '0.01')]
  const freeze = '1797.337' // 1199.806 at rest, 597.531 of b
  expect(ids(frozenCombinations({ ...flat, freeze, resting, doubtful }))).toEqual(['b'])
})

test('two sets with the same amount give no answer, and neither does no set', () => {
  const doubtful = [holder('a', '60000', '0.01'), holder('b', '60000', '0.01')]
  expect(ids(frozenCombinations({ ...flat, freeze: '600', doubtful }))).toMatch(/several combinations/)
  expect(ids(frozenCombinations({ ...flat, freeze: '601', doubtful }))).toMatch(/no combination/)
})

test('a partly filled order holds back less', () => {
  const doubtful = [holder('a', '50000', '0.003'), holder('b', '50000', '0.001')]
  // 50 is b alone, or what is left of a.
  expect(ids(frozenCombinations({ ...flat, freeze: '50', doubtful }))).toMatch(/several combinations/)
  // 1000 at rest less 200 of it filled, with all of a and b there, is what a venue without them holds, too.
  const resting = [holder('r', '50000', '0.020')]
  expect(ids(frozenCombinations({ ...flat, freeze: '1000', resting, doubtful }))).toMatch(
    /several combinations/,
  )
})

test('with several queues only all and none can be told apart', () => {
  const doubtful = [holder('a', '59000', '0.002'), holder('b', '61000', '0.003')]
  const told = (freeze: string, resting: OrderHolder[] = []) =>
    ids(frozenCombinations({ ...flat, isOneQueue: false, freeze, resting, doubtful }))
  expect([told('301'), told('0')]).toEqual([['a', 'b'], []])
  expect(told('118')).toMatch(/several queues/)
  expect(told('419', [holder('r', '59000', '0.002')])).toEqual(['a', 'b'])
  expect(told('118', [holder('r', '59000', '0.002')])).toMatch(/several queues/)
})

test('a leverage that does not divide evenly is rounded up by the venue, once in each market', () => {
  const doubtful = [holder('a', '59871.7', '0.001')]
  const freeze = '19.957233333333333334' // 59.8717 / 3
  expect(ids(frozenCombinations({ ...flat, freeze, leverage: 3, doubtful }))).toEqual(['a'])
})

test('many similar orders give no answer, and the search stops early', () => {
  const doubtful = Array.from({ length: 60 }, (_, index) =>
    holder(`g.${index}`, `${70_000 - 7 * index}`, '0.013'),
  )
  expect(ids(frozenCombinations({ ...flat, freeze: '27000.001', doubtful }))).toMatch(/too many/)
})

const anyHolder = fc.record({ price: fc.integer({ min: 1, max: 30 }), lots: fc.integer({ min: 1, max: 6 }) })

/** The same question, by trying every set and every part of every order. */
function byBruteForce(freeze: number, resting: Sized[], doubtful: Sized[]): number[][] {
  const sets = Array.from({ length: 2 ** doubtful.length }, (_, mask) =>
    doubtful.flatMap((_each, place) => ((mask >> place) % 2 === 1 ? [place] : [])),
  )
  return sets.filter((set) => {
    const there = [...resting, ...set.flatMap((place) => doubtful[place] ?? [])]
    const whole = there.reduce((sum, { price, lots }) => sum + price * lots, 0)
    const parts = there.flatMap(({ price, lots }) =>
      Array.from({ length: lots - 1 }, (_, k) => (k + 1) * price),
    )
    return whole === freeze || parts.some((part) => whole - part === freeze)
  })
}
function sized(all: Sized[], kind: string): OrderHolder[] {
  return all.map(({ price, lots }, place) => holder(`${kind}${place}`, String(price), `0.00${lots}`))
}
type Sized = { price: number; lots: number }

test('the search finds what an exhaustive search finds', () => {
  const world = fc.record({
    resting: fc.array(anyHolder, { maxLength: 3 }),
    doubtful: fc.array(anyHolder, { minLength: 1, maxLength: 6 }),
    placed: fc.infiniteStream(fc.boolean()),
    filled: fc.nat(5),
  })
  let proven = 0
  fc.assert(
    fc.property(world, ({ resting, doubtful, placed, filled }) => {
      const there = [...resting, ...doubtful.filter(() => placed.next().value)]
      const whole = there.reduce((sum, { price, lots }) => sum + price * lots, 0)
      const [first] = there
      const freeze = whole - (first ? Math.min(filled, first.lots - 1) * first.price : 0)
      const found = frozenCombinations({
        ...flat,
        freeze: (freeze / 1000).toFixed(3),
        resting: sized(resting, 'r'),
        doubtful: sized(doubtful, 'd'),
      })
      const all = byBruteForce(freeze, resting, doubtful)
      const [only] = all
      if (all.length === 1 && only) {
        proven += 1
        expect(ids(found)).toEqual(only.map((place) => `d${place}`))
      } else expect(found).toHaveProperty('why')
    }),
    runs(2000, 50_000),
  )
  expect(proven).toBeGreaterThan(100)
})
