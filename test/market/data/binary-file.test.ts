import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeBinary } from '#src/market/data/binary/binary-file.ts'
import { readMarket } from '#src/market/data/read-market.ts'
import { chanceOf, type Chance } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { marketFolder, start, walked } from './market-fixture.ts'

const { folder, fileOf } = marketFolder()

/** Rows for every form of column: prices on ticks or arbitrary, amounts in lots, arbitrary, beyond integers, or missing. */
function tradesOf(chance: Chance, rows: number): string {
  const [wildPrices, amounts] = [chance.percent(50), chance.oneOf(['lots', 'wild', 'vast', 'none', 'same'])]
  const pause = chance.oneOf([0, 3, 5000, 3_000_000])
  let at = start * 1000
  const lines = Array.from({ length: rows }, () => {
    at += pause === 0 ? 0 : chance.below(pause)
    const price = wildPrices
      ? `${chance.below(9e6)}.${1 + chance.below(999_999_998)}`
      : `100.${10 + chance.below(90)}`
    const amount = {
      lots: `0.${1000 + chance.below(8999)}`,
      wild: `${chance.below(9e6)}.${chance.below(1e9)}`,
      vast: `${chance.below(1e9)}${chance.below(1e9)}`,
      none: '',
      same: '7',
    }[amounts]
    return `${at},${price}${amount === '' ? '' : `,${amount}`}\n`
  })
  return `# market: BTC_PERP\ntime,price${amounts === 'none' ? '' : ',amount'}\n${lines.join('')}`
}

function binaryOf(path: string): string {
  const written = `${path}.rungs`
  writeBinary(readMarket(path), written)
  return written
}

test('a binary file returns the written market, to the bit, for every form of column', () => {
  const chance = chanceOf(seed)
  for (let file = 0; file < times(40, 400, 15); file++) {
    const path = fileOf(tradesOf(chance, 1 + chance.below(400)))
    const [source, written] = [readMarket(path), readMarket(binaryOf(path))]
    expect(walked(written)).toEqual(walked(source))
    const { name, kind, barMs, beginsAt } = source
    expect(written).toMatchObject({ name, kind, beginsAt })
    expect(written.barMs).toBe(barMs)
  }
})

test('a file of many blocks is read in full and in part', () => {
  const rows = Array.from({ length: 50_000 }, (_, row) => `${start + 60 * row},10,12,9,${9 + (row % 4)},1.5`)
  const path = fileOf(`timestamp,open,high,low,close,volume\n${rows.join('\n')}\n`)
  const written = binaryOf(path)
  expect(walked(readMarket(written))).toEqual(walked(readMarket(path)))
  // About 6 bytes a point.
  expect(readFileSync(written).length).toBeLessThan(1_300_000)
  const span = { from: (start + 60 * 25_000) * 1000, to: (start + 60 * 45_000) * 1000 }
  const part = walked(readMarket(written, span))
  expect(part).toEqual(walked(readMarket(path, span)))
  expect(part.seen).toMatchObject({ rows: 20_000, points: 80_000, gaps: 0, endsAt: span.to - 1 })
})

const small = `timestamp,price,amount,side\n1700000000,1,1,buy\n1700000001,2,3,buy\n1700000002,2,4,buy\n`

test('a truncated file is never accepted as complete', () => {
  const whole = readFileSync(binaryOf(fileOf(small)))
  for (let length = 0; length < whole.length; length++) {
    const torn = fileOf(whole.subarray(0, length))
    expect(() => walked(readMarket(torn)), `${length} bytes`).toThrow(
      expect.objectContaining({ code: 'MARKET_INVALID' }),
    )
  }
})

test('a file with any changed bit is refused', () => {
  const whole = readFileSync(binaryOf(fileOf(small)))
  for (let place = 0; place < whole.length; place += times(1, 1, 3)) {
    const changed = Buffer.from(whole)
    changed[place] = (changed[place] ?? 0) ^ (1 << (place % 8))
    const path = fileOf(changed)
    expect(() => walked(readMarket(path)), `byte ${place}`).toThrow(
      expect.objectContaining({ code: 'MARKET_INVALID' }),
    )
  }
})

test('an error states its fix', () => {
  const whole = readFileSync(binaryOf(fileOf(small)))
  expect(() => readMarket(fileOf(whole.subarray(0, 100)))).toThrow(
    /is incomplete: 100 bytes, without its end/,
  )
  const newer = Buffer.from(whole)
  newer.write('2', 7)
  expect(() => readMarket(fileOf(newer))).toThrow(
    /has another version, RUNGSMK2; fix: Convert it again with: rungs market/,
  )
  const damaged = Buffer.from(whole)
  damaged[20] = 1
  expect(() => walked(readMarket(fileOf(damaged)))).toThrow(/is damaged in block 1/)
})

test('an unreadable market leaves no file behind', () => {
  const path = fileOf(`${small}1600000000,1,1,buy\n`)
  const target = join(folder, 'never.rungs')
  expect(() => writeBinary(readMarket(path), target)).toThrow(/older than the row before/)
  expect(() => readMarket(target)).toThrow(expect.objectContaining({ code: 'FILE_UNREADABLE' }))
  expect(() => readMarket(`${target}.part`)).toThrow(expect.objectContaining({ code: 'FILE_UNREADABLE' }))
})
