import { deepEqual } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chanceOf } from '../fuzz/chance.ts'
import { medianOf } from './runner/median.ts'
import { report } from './runner/report.ts'

/**
 * P11: a hundred million trades from a file to whoever walks through them: what a process needs for it beyond a bare one,
 * and how many rows it reads in a second of CPU, from our own form and from CSV. The sums of all columns must be those of
 * the trades as they were made before anything is timed. Each reading is a process of its own; they take turns. Five
 * gigabytes of the temporary folder are used meanwhile; `node test/bench/market.ts 20` takes twenty million trades.
 */
const rows = 1_000_000 * Number(process.argv[2] ?? 100)
const rounds = 3
const rowsPerWrite = 10_000

const folder = mkdtempSync(join(tmpdir(), 'rungs-bench-market-'))
try {
  bench()
} finally {
  rmSync(folder, { recursive: true })
}

type Sums = { count: number; at: string; units: string; amounts: string }

function bench(): void {
  const [csv, binary] = [join(folder, 'trades.csv'), join(folder, 'trades.rungs')]
  const sums = writeTrades(csv)
  process.stderr.write(`${rows} trades, ${(statSync(csv).size / 1e9).toFixed(2)} GB of CSV\n`)
  reader('write', csv, binary)
  deepEqual(reader('add', csv).sums, sums)
  deepEqual(reader('add', binary).sums, sums)
  process.stderr.write(
    `${(statSync(binary).size / rows).toFixed(2)} bytes a trade in our own form, sums are equal\n`,
  )

  const bare: number[] = []
  const rates = { binary: [] as number[], csv: [] as number[] }
  const peaks = { binary: [] as number[], csv: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    bare.push(Number(execFileSync(process.execPath, ['-p', 'process.resourceUsage().maxRSS / 1024'])))
    for (const [form, path] of [
      ['binary', binary],
      ['csv', csv],
    ] as const) {
      const { cpuMs, megabytes } = reader('read', path)
      rates[form].push(rows / cpuMs / 1000)
      peaks[form].push(megabytes)
    }
  }
  const floor = medianOf(bare)
  const unit = 'M rows/s'
  report({ goal: 'P11', what: 'binary', ours: medianOf(rates.binary), unit, atLeast: 100, wanted: 300 })
  report({ goal: 'P11', what: 'CSV', ours: medianOf(rates.csv), unit, atLeast: 5, wanted: 12 })
  for (const [what, form] of [
    ['binary, memory over bare', 'binary'],
    ['CSV, memory over bare', 'csv'],
  ] as const)
    report({ goal: 'P11', what, ours: medianOf(peaks[form]) - floor, unit: 'MB', atMost: 60, wanted: 25 })
}

type Told = { sums: Sums; cpuMs: number; megabytes: number }

function reader(...words: string[]): Told {
  const path = fileURLToPath(new URL('processes/market-reader.ts', import.meta.url))
  // Compiled as the program itself is, whose launcher keeps what was compiled once.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') }
  return JSON.parse(execFileSync(process.execPath, [path, ...words], { encoding: 'utf8', env }))
}

/** A price that wanders by ticks of a tenth, amounts in lots, some hundred milliseconds from one to the next. */
function writeTrades(path: string): Sums {
  const chance = chanceOf(7)
  const handle = openSync(path, 'w')
  const sums = { at: 0n, units: 0n, amounts: 0n }
  let [at, tenths] = [1_700_000_000_000, 600_000]
  writeSync(handle, 'timestamp,price,amount,side\n')
  for (let row = 0; row < rows; row += rowsPerWrite) {
    const lines: string[] = []
    let [ats, prices, amounts] = [0, 0, 0]
    for (let line = 0; line < rowsPerWrite; line++) {
      const drawn = chance.below(2 ** 32)
      at += drawn & 511
      tenths = Math.max(1000, tenths + ((drawn >>> 9) % 5) - 2)
      const lots = 1 + (drawn >>> 14)
      ats += at - 1_700_000_000_000
      prices += tenths
      amounts += lots
      const lot = String(lots)
      const amount = lots < 1e5 ? `0.${lot.padStart(5, '0')}` : `${lot.slice(0, -5)}.${lot.slice(-5)}`
      lines.push(`${at},${Math.floor(tenths / 10)}.${tenths % 10},${amount},${drawn & 1 ? 'buy' : 'sell'}\n`)
    }
    sums.at += BigInt(ats) + BigInt(rowsPerWrite) * 1_700_000_000_000n
    sums.units += BigInt(prices) * 100_000_000n
    sums.amounts += BigInt(amounts) * 10_000n
    writeSync(handle, lines.join(''))
  }
  closeSync(handle)
  return {
    count: rows,
    at: String(sums.at),
    units: String(sums.units),
    amounts: String(sums.amounts),
  }
}
