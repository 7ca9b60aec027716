import type { RecordedBlock, RecordedMarket } from '#src/exchange/simulation/recorded/recorded-market.ts'
import type { SeededRandom } from './seeded-random.ts'

/** Long enough for the candles of every strategy. */
const pastMs = 24 * 3_600_000
const pastStepMs = 20_000
const stepMs = 1000
const waveSteps = 45
const waveHeight = 0.02

/** Trades of a random walk: every 20 s before the simulation, then every second. */
export function marketPath(
  dice: SeededRandom,
  about: { symbol: string; price: number; tick: number; beginsAt: number; ms: number },
): RecordedMarket {
  const { symbol, price, tick, beginsAt, ms } = about
  const past = pastMs / pastStepMs
  const count = past + Math.ceil(ms / stepMs)
  const block: RecordedBlock = {
    count,
    at: new Float64Array(count),
    units: new Float64Array(count),
    amounts: new Float64Array(count),
    low: Infinity,
    high: 0,
  }
  let now = price
  for (let n = 0; n < count; n++) {
    const isPast = n < past
    const step = isPast ? 0.0004 : 0.0008
    now *= 1 + step * (dice.unit(`price ${symbol}`, n) + dice.unit(`price ${symbol}`, n, 1) - 1)
    // Mean reversion: strategies have ranges around the first price.
    now += (price - now) * 0.001
    const units = Math.round(Math.round((now * (1 + wave(n))) / tick) * tick * 1e9)
    block.at[n] = isPast ? beginsAt - pastMs + n * pastStepMs : beginsAt + (n - past) * stepMs
    block.units[n] = units
    block.amounts[n] = Math.round(((30 + 3000 * dice.unit(`amount ${symbol}`, n) ** 3) / price) * 1e9)
    block.low = Math.min(block.low, units)
    block.high = Math.max(block.high, units)
  }
  return {
    print: `a walk of ${symbol}`,
    kind: 'trades',
    beginsAt: block.at[0] ?? beginsAt,
    *blocks() {
      yield block
    },
  }
}

/** A triangle wave, which crosses each ladder several times. */
function wave(n: number): number {
  const phase = (n % waveSteps) / waveSteps
  return waveHeight * (phase < 0.5 ? 4 * phase - 1 : 3 - 4 * phase)
}
