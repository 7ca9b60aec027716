import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { loadInWorker } from '#src/market/data/load/load-in-worker.ts'
import { loadMarket, sharedMarket } from '#src/market/data/load/load-market.ts'
import { readMarket } from '#src/market/data/read-market.ts'
import { marketFolder, start, walked } from './market-fixture.ts'

const { fileOf } = marketFolder()
const header = 'timestamp,open,high,low,close,volume\n'
const rows = Array.from({ length: 30_000 }, (_, row) => `${start + 60 * row},10,12,9,${9 + (row % 4)},1.5`)
const whole = header + rows.join('\n')

test('each market loaded by another thread equals the market of its file', async () => {
  const paths = [fileOf(whole), fileOf(gzipSync(whole)), fileOf(`${header}${rows[0]}\n`)]
  const load = loadInWorker(paths)
  // Requested in another order than loaded, and one of them twice.
  for (const path of [...paths.toReversed(), ...paths.slice(0, 1)])
    expect(walked(sharedMarket(await load(path)))).toEqual(walked(readMarket(path)))
})

test('an error in one file is the same as in this thread, and the other files load', async () => {
  const [torn, fine] = [fileOf(`${header}1700000000,1,nothing,1,1,1\n`), fileOf(whole)]
  // It opens as a file but cannot be read at its start, on systems that have it.
  const paths = [torn, 'missing.csv', fine, '/proc/self/mem']
  const load = loadInWorker(paths)
  expect((await load(fine)).seen?.rows).toBe(rows.length)
  for (const path of ['missing.csv', torn, '/proc/self/mem'])
    await expect(load(path)).rejects.toMatchObject(errorOf(() => loadMarket(path)))
})

test('a file that was not requested has no market', async () => {
  await expect(loadInWorker([])('prices.csv')).rejects.toThrow('prices.csv was not requested')
})

function errorOf(act: () => unknown): object {
  try {
    act()
  } catch (error) {
    if (error instanceof Error && 'code' in error) {
      const { name, message, code } = error
      return { name, message, code }
    }
  }
  throw new Error('nothing is wrong')
}
