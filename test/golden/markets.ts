import { mkdirSync, writeFileSync } from 'node:fs'
import { zstdCompressSync } from 'node:zlib'

const folder = new URL('markets/', import.meta.url)
const monday = Date.UTC(2026, 0, 5)
const minuteMs = 60_000

type Walk = {
  seed: number
  price: number
  digits: number
  minutes: number
  /** Standard deviation of one minute. */
  pace: number
  /** Drift of one minute, by hour of the walk; the last entry holds for all later hours. */
  drift?: (hour: number) => number
  amount: (chance: () => number) => number
}

/** Park and Miller: the same numbers on every machine. */
function chanceOf(seed: number): () => number {
  let now = seed
  return () => {
    now = (now * 48_271) % 2_147_483_647
    return now / 2_147_483_647
  }
}

function* barsOf({ seed, price, digits, minutes, pace, drift = () => 0, amount }: Walk): Iterable<string> {
  const chance = chanceOf(seed)
  let now = price
  for (let minute = 0; minute < minutes; minute++) {
    const path = Array.from({ length: 6 }, () => {
      const bell = chance() + chance() + chance() + chance() - 2
      now *= 1 + (bell * pace * 1.73) / 2.45 + drift(Math.floor(minute / 60)) / 6
      return now
    })
    const prices = [path[0]!, Math.max(...path), Math.min(...path), path[5]!]
    const texts = prices.map((each) => each.toFixed(digits))
    yield [(monday + minute * minuteMs) / 1000, ...texts, amount(chance).toFixed(4)].join(',')
  }
}

/** Up for some hours, then down again. */
const waves = (hour: number) => (hour % 10 < 5 ? -0.00018 : 0.00018)

const plenty = (chance: () => number) => 5 + 20 * chance()
const btc: Walk = {
  seed: 11,
  price: 60_000,
  digits: 2,
  minutes: 2880,
  pace: 0.0012,
  drift: waves,
  amount: plenty,
}
const header = 'timestamp,open,high,low,close,volume'

function write(name: string, lines: readonly string[]): void {
  writeFileSync(new URL(`${name}.csv.zst`, folder), zstdCompressSync(`${lines.join('\n')}\n`))
}

/** Holes of some minutes, of an hour, and of four hours. */
function isKept(minute: number): boolean {
  return minute % 97 > 4 && (minute < 400 || minute >= 460) && (minute < 900 || minute >= 1140)
}

/** The markets that the backtests of this folder go through. They are kept: nothing is recorded against other ones. */
export function writeMarkets(): void {
  mkdirSync(folder)
  write('btc', [header, ...barsOf(btc)])
  write('eth', [header, ...barsOf({ ...btc, seed: 12, price: 3000, pace: 0.002 })])
  write('sol', [header, ...barsOf({ ...btc, seed: 13, price: 150, pace: 0.0025 })])
  // A quarter is lost within a day.
  write('fall', [
    header,
    ...barsOf({
      ...btc,
      seed: 14,
      minutes: 1440,
      drift: (hour) => (hour >= 6 && hour < 16 ? -0.0005 : 0.0001),
    }),
  ])
  const rows = [...barsOf({ ...btc, seed: 15, minutes: 1440 })]
  write('gaps', [header, ...rows.filter((_, minute) => isKept(minute))])
  // Trades of small amounts, two seconds apart: orders fill in parts.
  const chance = chanceOf(16)
  let now = 60_000
  const trades = Array.from({ length: 7200 }, (_, number) => {
    now *= 1 + (chance() - 0.5) * 0.0006
    const at = monday + number * 2000
    return [at, now.toFixed(2), (0.0001 + 0.0008 * chance()).toFixed(6)].join(',')
  })
  write('thin', ['timestamp,price,amount', ...trades])
}
