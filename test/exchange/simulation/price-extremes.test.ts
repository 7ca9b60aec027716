import fc from 'fast-check'
import { expect, test } from 'vitest'
import { extremesAmong, firstBeyond, noExtremes } from '#src/exchange/simulation/recorded/price-extremes.ts'
import { runs } from '#test/properties/runs.ts'

const block = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 400 })

test('the search by stretches finds the same as a search of each point', () => {
  const about = fc.tuple(block, fc.nat(400), fc.nat(400), fc.nat(41), fc.nat(41))
  const property = fc.property(about, ([prices, one, other, low, high]) => {
    const units = Float64Array.from(prices)
    const [begin = 0, end = 0] = [one, other].map((place) => place % (units.length + 1)).sort((a, b) => a - b)
    const asked = units.subarray(begin, end)
    const found = asked.findIndex((price) => price <= low || price >= high)
    const about = { units, count: units.length }
    expect(firstBeyond(about, begin, end, low, high)).toBe(found === -1 ? end : begin + found)
    expect(extremesAmong(about, begin, end, noExtremes)).toEqual({
      low: Math.min(...asked),
      high: Math.max(0, ...asked),
    })
  })
  fc.assert(property, runs(300, 100_000))
})
