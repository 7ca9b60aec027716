import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forgetOldest, free, isUsed, noUsedIds, use } from '#src/exchange/trading/orders/used-client-ids.ts'
import { runs } from '../properties/runs.ts'

const id = fc.oneof(
  fc.stringMatching(/^[a-c]{1,3}$/),
  fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/),
  fc.nat({ max: 400 }).map((count) => `dip.low.${count}.1`),
)
/** Ids that are kept when older ones are forgotten. */
const isKept = (id: string) => id.startsWith('a')
const newest = 20
const steps = fc.array(
  fc.record({
    id,
    act: fc.constantFrom(...Array<'use'>(30).fill('use'), ...Array<'free'>(10).fill('free'), 'forget'),
  }),
  {
    maxLength: 600,
  },
)

test('used ids equal those of a set, through growth and ids that are freed or forgotten', () => {
  fc.assert(
    fc.property(steps, (each) => {
      const used = noUsedIds()
      const plain = new Set<string>()
      for (const { id, act } of each) {
        expect(isUsed(used, id)).toBe(plain.has(id))
        if (act === 'free') {
          free(used, id)
          plain.delete(id)
        } else if (act === 'forget') {
          const from = used.ids.length - newest
          for (const [place, old] of used.ids.entries()) if (place < from && !isKept(old)) plain.delete(old)
          forgetOldest(used, newest, isKept)
        } else if (!plain.has(id)) {
          use(used, id)
          plain.add(id)
        }
      }
      for (const { id } of each) expect(isUsed(used, id)).toBe(plain.has(id))
      expect(used.ids.filter((kept) => kept !== '').toSorted()).toEqual([...plain].toSorted())
    }),
    runs(200, 5000),
  )
})

test('two ids with the same hash are different ids', () => {
  const twins: string[] = []
  const seen = new Map<number, string>()
  const used = noUsedIds()
  for (let count = 0; count < 300_000; count++) {
    const id = `${(Math.imul(count, 0x9e3779b1) >>> 0).toString(36)}.${count % 7}`
    if (!isUsed(used, id)) use(used, id)
  }
  for (let slot = 0; slot < used.slots.length; slot += 2) {
    const place = used.slots[slot + 1] ?? 0
    if (place === 0) continue
    const id = used.ids[place - 1] ?? ''
    const twin = seen.get(used.slots[slot] ?? 0)
    if (twin !== undefined) twins.push(twin, id)
    seen.set(used.slots[slot] ?? 0, id)
  }
  // Among this many ids some have the same 32 bits.
  expect(twins.length).toBeGreaterThan(0)
  expect(twins.every((twin) => isUsed(used, twin))).toBe(true)
  expect(isUsed(used, 'never used')).toBe(false)
})

test('freed ids leave room: the table shrinks to the remaining ids', () => {
  const used = noUsedIds()
  for (let count = 0; count < 100_000; count++) {
    use(used, `id.${count}`)
    if (count >= 10) free(used, `id.${count - 10}`)
  }
  expect(used.slots.length).toBeLessThan(1000)
  expect(used.ids.length).toBeLessThan(1000)
})
