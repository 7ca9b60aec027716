import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readMarket } from '#src/market/data/read-market.ts'
import { environment, launcher } from '#test/cli/support/process.ts'
import { marketFolder, walked } from './market-fixture.ts'

/** Files that another program wrote: test/market/data/parquet/README.md */
const folder = fileURLToPath(new URL('parquet/', import.meta.url))
const { fileOf } = marketFolder()
const lz4 = 'bars-lz4.parquet'

const files = readdirSync(folder).filter((name) => /^(?:bars|trades).*\.parquet$/.test(name) && name !== lz4)

test('there are files of all kinds', () => {
  expect(files.length).toBeGreaterThan(10)
})

test.each(files)('%s has the rows of the CSV file', (name) => {
  const [kind] = name.split(/[-.]/)
  const expected = walked(readMarket(join(folder, `${kind}.csv`)))
  const market = readMarket(join(folder, name))
  expect(walked(market)).toEqual(expected)
  expect(walked(market).points).toHaveLength(kind === 'bars' ? 1200 : 300)
})

test('a pattern finds Parquet files', () => {
  expect(walked(readMarket(join(folder, 'trades.*quet'))).points).toHaveLength(300)
})

test.each([
  [
    'an unusual compression',
    () => join(folder, lz4),
    /unsupported compression codec: LZ4_RAW.*compression zstd/,
  ],
  ['no columns of a market', () => join(folder, 'other.parquet'), /"name,value" is not a header of bars/],
  [
    'a cut file',
    () => fileOf(readFileSync(join(folder, 'trades.parquet')).subarray(0, -100)),
    /cannot be read as Parquet/,
  ],
  ['nothing after its mark', () => fileOf('PAR1'), /cannot be read as Parquet/],
  ['another table', () => join(folder, 'bars.feather'), /is a Feather \(Arrow\) file.*to_parquet/],
])('a file with %s is refused', (_, path, expected) => {
  expect(() => walked(readMarket(path()))).toThrow(
    expect.objectContaining({ code: 'MARKET_INVALID', message: expect.stringMatching(expected) }),
  )
})

test('a file that is damaged at any byte ends in rows or in an error of its own', () => {
  const whole = readFileSync(join(folder, 'trades.parquet'))
  for (let place = 4; place < whole.length; place += 97) {
    const damaged = Buffer.from(whole)
    damaged[place] = (damaged[place] ?? 0) ^ 0xff
    try {
      walked(readMarket(fileOf(damaged)))
    } catch (error) {
      expect(error).toMatchObject({ code: 'MARKET_INVALID' })
    }
  }
})

/** The log of the loader of modules. */
/** Prints each loaded module, also those of threads, before it is loaded: nothing is lost at the end of the process. */
const traceModules = `--import=data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module'
  import { writeSync } from 'node:fs'
  registerHooks({
    load(url, context, next) {
      writeSync(2, url + String.fromCharCode(10))
      return next(url, context)
    },
  })`,
)}`

const modulesFor = (file: string) => {
  const words = [launcher, 'market', join(folder, file), '--json']
  const env = { ...environment({}), NODE_OPTIONS: traceModules }
  return spawnSync(process.execPath, words, { env, encoding: 'utf8', maxBuffer: Infinity }).stderr
}

test('the program loads the reader of Parquet files only for such a file', () => {
  expect(modulesFor('trades.parquet')).toContain('node_modules/hyparquet')
  expect(modulesFor('trades.csv')).not.toContain('node_modules/hyparquet')
})
