import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { HistoricalMarket, FileFindings } from '#src/market/data/historical-market.ts'

/** A folder for market files that exists for the tests of one file. */
export function marketFolder(): { folder: string; fileOf: (content: string | Uint8Array) => string } {
  const folder = mkdtempSync(join(tmpdir(), 'rungs-market-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  let files = 0
  function fileOf(content: string | Uint8Array): string {
    const path = join(folder, `prices-${files++}.csv`)
    writeFileSync(path, content)
    return path
  }
  return { folder, fileOf }
}

/** Start time of most files in tests. */
export const start = 1_700_000_000

type Point = [seconds: number, price: number, amount: number]

/** The points in seconds and dollars, and the findings. */
export function walked(market: HistoricalMarket): { points: Point[]; seen: FileFindings | undefined } {
  const points: Point[] = []
  for (const { count, at, units, amounts } of market.blocks()) {
    for (let place = 0; place < count; place++) {
      points.push([
        ((at[place] ?? 0) - start * 1000) / 1000,
        (units[place] ?? 0) / 1e9,
        (amounts[place] ?? 0) / 1e9,
      ])
    }
  }
  return { points, seen: market.seen }
}
