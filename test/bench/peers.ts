import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launcher } from '#test/cli/support/process.ts'
import { madeBars, madeTrades } from '#test/research/backtest/market/generated-market.ts'
import { backtrader, hftBacktest, nautilusTrader, numba } from '#test/support/peers.ts'
import { programFile, Contender, rungsProgram, wholeCpuMs } from './peers/contender.ts'
import { writeJob, type GridJob } from './peers/grid-job.ts'
import { medianOf } from './runner/median.ts'
import { ratioText, report } from './runner/report.ts'

/**
 * P7 and P8 against backtesters of others, and against the least loop, on one file and one job: a grid whose filled order is
 * replaced by the opposite order one line further. Sides, amounts and prices of all fills must be equal, in order, or no
 * ratio is printed. Everything is counted in CPU time of the process, since others may use the machine. The contenders take
 * turns, each in a process of its own; a ratio is that of one round. NautilusTrader reads the bars themselves: its path
 * inside a bar is ours. Those of backtrader have no path, so that it gets each line of the path as a bar. hftbacktest gets
 * trades without a book, and acts each second.
 */
const rounds = 5
const pace = 0.025 / Math.sqrt(1440)
const bars = { price: 60_000, digits: 1 }
const wide = { levels: 101, step: 240 }

type Peer = { name: string; program: string; install: () => string }
const nautilus: Peer = {
  name: 'NautilusTrader 1.221.0',
  program: 'nautilus_grid.py',
  install: nautilusTrader,
}
const hft: Peer = { name: 'hftbacktest 2.4.4', program: 'hftbacktest_grid.py', install: hftBacktest }
const slow: Peer = { name: 'backtrader 1.9.78', program: 'backtrader_grid.py', install: backtrader }
const loop: Peer = { name: 'a loop in Numba 0.68.1', program: 'numba_grid.py', install: numba }

/** Ratios are the time of the peer, divided by ours. */
type Limits = { atLeast?: number; wanted?: number }
type Comparison = {
  goal?: string
  what: string
  peer: Peer
  files: GridJob
  rounds?: number
  /** Runs of the peer in a round, whose median counts: for those of milliseconds. */
  repeats?: number
  warm: Limits
  whole?: Limits
}

const folder = mkdtempSync(join(tmpdir(), 'rungs-bench-peers-'))
try {
  for (const comparison of comparisons()) {
    const { name, install } = comparison.peer
    try {
      await compare(comparison, install())
    } catch (error) {
      process.stderr.write(`${String(error)}\n`)
      report({ what: `${name}: not installed, or failed`, ours: 1, atMost: 0 })
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}

function* comparisons(): Generator<Comparison> {
  const wild = { ...bars, seed: 3, pace: 1.6 * pace }
  yield {
    goal: 'P8',
    what: '60,000 minutes',
    peer: nautilus,
    files: writeJob(folder, 'months', wide, madeBars({ ...wild, minutes: 60_000 })),
    warm: { atLeast: 20, wanted: 50 },
    whole: { atLeast: 10, wanted: 10 },
  }
  const year = madeBars({ ...bars, seed: 6, minutes: 525_600, pace: 0.62 * pace })
  const files = writeJob(folder, 'year', wide, year)
  const warm = { atLeast: 1 / 100, wanted: 1 / 60 }
  yield { goal: 'P8', what: 'a year', peer: loop, files, repeats: 9, warm }
  const narrow = writeJob(folder, 'narrow', { levels: 201, step: 120 }, year)
  yield {
    goal: 'P8',
    what: 'a year, 0.2 %',
    peer: loop,
    files: narrow,
    rounds: 3,
    repeats: 9,
    warm: { atLeast: 1 / 120, wanted: 1 / 120 },
  }
  // Its range is that of the lines, and a thousandth of its trades pass one.
  const trades = madeTrades({ ...bars, seed: 6, minutes: 5000, pace: 0.000_79 }, 100)
  yield {
    goal: 'P7',
    what: '3 M trades',
    peer: hft,
    files: writeJob(folder, 'trades', { levels: 101, step: 60 }, trades),
    warm: { atLeast: 3, wanted: 10 },
  }
  yield {
    what: '3,000 minutes',
    peer: slow,
    files: writeJob(folder, 'days', wide, madeBars({ ...wild, minutes: 3000 })),
    rounds: 3,
    warm: {},
  }
}

async function compare(comparison: Comparison, python: string): Promise<void> {
  const { goal, what, peer, files, rounds: count = rounds, repeats = 1, warm, whole } = comparison
  const named = (part: string) => ({ goal, what: `${what}: ${peer.name}${part}` })
  const program = [python, '-B', programFile(peer.program), files.job]
  const flags = ['--no-parallel-scavenge']
  const us = new Contender([process.execPath, ...flags, rungsProgram, files.strategy, files.market])
  const them = new Contender(program)
  try {
    const cold = { ours: await us.run(), theirs: await them.run() }
    const [ours, theirs] = [await us.fills(), await them.fills()]
    if (!areEqual(named(', fills that differ'), ours, theirs)) return
    const times = []
    for (let round = 0; round < count; round++) times.push(await roundOf(us, them, { round, repeats }))
    reportRatio(named(''), times, warm)
    reportRatio(named(', the first run'), [cold])
  } finally {
    await Promise.all([us.close(), them.close()])
  }
  if (whole) reportRatio(named(', the whole process'), wholeProcesses(python, program, files), whole)
}

type Named = { goal: string | undefined; what: string }

/** Reports whether all fills are equal, or what differs first. */
function areEqual(named: Named, ours: readonly string[], theirs: readonly string[]): boolean {
  const places = Array.from({ length: Math.max(ours.length, theirs.length) }, (_, index) => index)
  const differing = places.filter((index) => theirs[index] !== ours[index])
  const [first] = differing
  const counts = `of ${theirs.length} fills, and ${ours.length} of Rungs`
  const difference =
    first === undefined
      ? ''
      : `: fill ${first + 1} is ${theirs[first] ?? 'missing'}, and ours is ${ours[first] ?? 'missing'}`
  report({ ...named, ours: differing.length, atMost: 0, detail: counts + difference })
  return first === undefined
}

type Times = { ours: number; theirs: number }

/** Each second round begins with the peer. */
async function roundOf(
  us: Contender,
  them: Contender,
  { round, repeats }: { round: number; repeats: number },
): Promise<Times> {
  const first = round % 2 === 0 ? await us.run() : 0
  const theirs = []
  for (let repeat = 0; repeat < repeats; repeat++) theirs.push(await them.run())
  return { ours: first || (await us.run()), theirs: medianOf(theirs) }
}

function wholeProcesses(python: string, program: readonly string[], files: GridJob): Times[] {
  const words = ['backtest', files.strategy, '--market', files.market, '--json']
  return Array.from({ length: 3 }, () => ({
    ours: wholeCpuMs(python, [process.execPath, launcher, ...words]),
    theirs: wholeCpuMs(python, [...program, '--once']),
  }))
}

function reportRatio(named: Named, times: readonly Times[], limits: Limits = {}): void {
  const ratios = times.map(({ ours, theirs }) => theirs / ours).toSorted((a, b) => a - b)
  const [ours, peer] = [medianOf(times.map((time) => time.ours)), medianOf(times.map((time) => time.theirs))]
  const detail = ratios.length > 1 ? { detail: rangeOf(ratios) } : {}
  report({ ...named, ours, peer, ratio: medianOf(ratios), unit: 'ms', ...limits, ...detail })
}

function rangeOf(ratios: readonly number[]): string {
  return `${ratioText(ratios[0] ?? 0)} to ${ratioText(ratios.at(-1) ?? 0)} x`
}
