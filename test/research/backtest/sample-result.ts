import { Measures, periodOf } from '#src/research/backtest/measures/measures.ts'
import type { BacktestFill, BacktestResult } from '#src/research/backtest/result/result.ts'
import { RungResults } from '#src/research/backtest/measures/rung-results.ts'
import { parseSignedAtoms } from '#src/core/money/atoms.ts'
import { Decimal } from '#src/core/money/decimal.ts'

const minuteMs = 60_000
const from = Date.UTC(2026, 8, 1)
const minutes = 8 * 1440
const to = from + minutes * minuteMs
/** A hostile name. */
export const hostileName = '</script><img src=x onerror=alert(1)>"\'&amp;`${1}'

/** A possible result of a grid in an oscillating market, with a hostile strategy name. */
export const sampleResult: BacktestResult = makeSample()

/** The same from a version without round trips, yearly figures, months, parameters and texts. */
export const olderResult: BacktestResult = older(sampleResult)

function older(all: BacktestResult): BacktestResult {
  const { months: _, parameters: __, ...result } = all
  const { summary, equity, strategies } = result
  const { roundTrips: _1, winRate: _2, profitFactor: _3, expectancy: _4, buyAndHold: _5, ...some } = summary
  const { cagr: _6, calmar: _7, ratiosMeaningful: _8, longestDrawdownMs: _9, ...fewer } = some
  const { bestDay: _10, bestDayAt: _11, worstDay: _12, worstDayAt: _13, ...known } = fewer
  const { at, value, position } = equity
  const texts = strategies.map(({ text: _14, ...each }) => each)
  return { ...result, summary: known, equity: { at, value, position }, strategies: texts }
}

function atomsOf(value: Decimal): bigint {
  return parseSignedAtoms(value.toFixed())
}

function makeSample(): BacktestResult {
  const measured = { fills: [] as BacktestFill[], rungs: new RungResults() }
  const periodMs = periodOf(to - from)
  const candles: BacktestResult['candles'] = []
  let [cash, held, cost, fees] = [new Decimal(10_000), new Decimal(0), new Decimal(0), new Decimal(0)]
  const holdings = () => ({ cash: atomsOf(cash), longs: [atomsOf(held)], shorts: [0n] })
  let price = unitsAt(0)
  const measures = new Measures(from, to, holdings(), [price])

  const fill = (at: number, level: number, side: 'buy' | 'sell') => {
    const [amount, money] = [new Decimal('0.005'), new Decimal(58_000 + level * 250)]
    const fee = amount.times(money).times('0.0002')
    const entry = held.isZero() ? money : cost.div(held)
    const profit = side === 'sell' ? money.minus(entry).times(amount).toDecimalPlaces(8) : new Decimal(0)
    const sign = side === 'buy' ? 1 : -1
    cost = side === 'buy' ? cost.plus(amount.times(money)) : cost.minus(amount.times(entry))
    held = held.plus(amount.times(sign))
    cash = cash.minus(amount.times(money).times(sign)).minus(fee)
    fees = fees.plus(fee)
    const name = `${side === 'buy' ? 'b' : 's'}${level}`
    const rung = { strategy: hostileName, ladder: 'grid', level: name, side, price: money.toFixed() }
    const made: BacktestFill = {
      ...rung,
      at,
      order: `${hostileName}.grid.${name}.1`,
      market: 'BTC_PERP',
      amount: amount.toFixed(),
      fee: fee.toFixed(),
      maker: level % 5 !== 0,
      profit: profit.toFixed(),
    }
    measured.fills.push(made)
    measured.rungs.ordered(rung)
    measured.rungs.filled(made, {
      amount: atomsOf(amount),
      money: atomsOf(amount.times(money)),
      profit: atomsOf(profit),
      fee: atomsOf(fee),
    })
    measures.changed(at, holdings(), [price])
  }

  const bought = new Set<number>()
  for (let minute = 1; minute <= minutes; minute++) {
    const before = price
    price = unitsAt(minute)
    const at = from + minute * minuteMs
    for (let level = 0; level < 20; level++) {
      const line = (58_000 + level * 250) * 1e9
      if (before > line && price <= line && !bought.has(level)) {
        bought.add(level)
        fill(at - 20_000, level, 'buy')
      } else if (before < line && price >= line && bought.has(level - 1)) {
        bought.delete(level - 1)
        fill(at - 20_000, level, 'sell')
      }
    }
    measures.watch.reached([price], at)
    measures.closed(at, [price])
    const [open, close] = [before / 1e9, price / 1e9]
    const last = candles.at(-1)
    if (last === undefined || at > last.at + periodMs) {
      candles.push({
        at: at - minuteMs,
        open,
        high: Math.max(open, close),
        low: Math.min(open, close),
        close,
      })
    } else Object.assign(last, { high: Math.max(last.high, close), low: Math.min(last.low, close), close })
  }
  const { equity, months, ...sums } = measures.finish(to, [price])
  const netProfit = new Decimal(sums.endEquity).minus(sums.startEquity)
  const rungs = measured.rungs.rungs().map((rung, index) => {
    const isOpen = index % 4 === 0
    const about = { open: isOpen ? '0.005' : '0', floating: isOpen ? '-3.5' : '0' }
    return Object.assign({ pairs: index % 3, gridProfit: rung.profit }, rung, about)
  })
  const gridProfit = rungs.reduce((sum, { profit }) => sum.plus(profit), new Decimal(0)).toFixed()
  const trips = { roundTrips: 38, winRate: 0.75, profitFactor: 1.6, expectancy: '1.23456789' }
  const parts = { pairs: 40, gridProfit, floating: netProfit.minus(gridProfit).plus('1.25').toFixed() }
  return {
    summary: {
      ...sums,
      ...parts,
      ...trips,
      fills: measured.fills.length,
      orders: measured.fills.length + 20,
      netProfit: netProfit.toFixed(),
      fees: fees.toFixed(),
      funding: '-1.25',
      liquidations: 0,
      halts: 1,
      events: minutes * 4,
      from,
      to,
    },
    fills: measured.fills,
    equity,
    months,
    parameters: {
      fill: 'through',
      latencyMs: 50,
      leverage: 2,
      seed: hostileName,
      fees: [{ market: 'BTC_PERP', maker: '-0.0001', taker: '0.00055' }],
    },
    candles,
    rungs,
    strategies: [{ strategy: hostileName, ...parts, text: `version: 1\nname: ${hostileName}\n` }],
    held: heldOf(held, cost, price),
    rules: [
      {
        rule: 'lay-the-grid',
        strategy: hostileName,
        fired: 3,
        first: from + minuteMs,
        last: to - 5 * minuteMs,
      },
      { rule: 'stop-when-wild', strategy: hostileName, fired: 0, first: null, last: null },
    ],
    rejected: [{ reason: 'code 32: amount: Given amount is less than min amount 0.001', count: 2 }],
    stops: [
      {
        strategy: hostileName,
        kind: 'paused',
        rule: 'calm',
        reason: 'the spread is wide',
        times: 3,
        first: from + 7 * minuteMs,
        last: from + 90 * minuteMs,
        resumed: from + 95 * minuteMs,
      },
      {
        strategy: hostileName,
        kind: 'halted',
        rule: null,
        reason: '41.10 lost since the best result, and drawdown says halt at 40.00',
        times: 1,
        first: to - minuteMs,
        last: to - minuteMs,
        resumed: null,
      },
    ],
    alerts: { count: 9, texts: [{ strategy: null, text: 'look here', count: 2, first: from + minuteMs }] },
    blocked: [
      {
        strategy: 'grid',
        ladder: 'g',
        reason: 'max_notional btc 2000',
        count: 4,
        totalMs: 9 * 3_600_000,
        first: from + minuteMs,
      },
    ],
    invested: [
      { strategy: 'grid', currency: 'USDT', outcome: 'accepted', message: null, count: 2, amount: '30.5' },
    ],
    market: [
      {
        symbol: 'BTC_PERP',
        print: 'c0ffee'.repeat(10).padEnd(64, '0'),
        kind: 'bars',
        gaps: 1,
        funding: null,
      },
    ],
    assumptions: [
      'An order fills only when a trade is beyond its price: at its price other orders have priority.',
      'Every request takes 50 ms to the venue, prices arrive without latency.',
    ],
  }
}

function heldOf(amount: Decimal, cost: Decimal, units: number): BacktestResult['held'] {
  const mark = new Decimal(units).div(1e9)
  const row = { strategy: hostileName, market: 'BTC_PERP', mark: mark.toFixed(), amount: amount.toFixed() }
  const unrealised = amount.times(mark).minus(cost).toDecimalPlaces(8).toFixed()
  return amount.isZero() ? [] : [{ ...row, entry: cost.div(amount).toDecimalPlaces(8).toFixed(), unrealised }]
}

/** A deterministic market: waves with different periods. */
function unitsAt(minute: number): number {
  const waves = Math.sin(minute / 700) * 1500 + Math.sin(minute / 97) * 420 + Math.sin(minute / 13) * 110
  const small = Math.sin(minute * 1.7) * 25 + Math.sin(minute * 0.61) * 40
  return Math.round((60_500 + waves + small) * 10) * 1e8
}
