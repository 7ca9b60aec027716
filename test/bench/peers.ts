import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launcher } from '#test/cli/support/process.ts'
import { madeBars, madeTrades } from '#test/research/backtest/market/generated-market.ts'
import { backtrader, hftBacktest, nautilusTrader, numba } from '#test/support/peers.ts'
import { programFile, Contender, rungsProgram, wholeCpuMs } from './peers/contender.ts'
import { writeJob, type GridJob } from './peers/grid-job.ts'
import { medianOf } from './runner/median.ts'

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
type Goals = { must?: number; goal?: number }
type Comparison = {
  what: string
  peer: Peer
  files: GridJob
  rounds?: number
  /** Runs of the peer in a round, whose median counts: for those of milliseconds. */
  repeats?: number
  warm: Goals
  whole?: Goals
}

const folder = mkdtempSync(join(tmpdir(), 'rungs-bench-peers-'))
try {
  for (const comparison of comparisons()) {
    const { name, install } = comparison.peer
    try {
      await compare(comparison, install())
    } catch (error) {
      process.stderr.write(`${String(error)}\n`)
      process.stdout.write(`${name} could not be installed, or has failed: not measured  MISSED\n`)
      process.exitCode = 1
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}

function* comparisons(): Generator<Comparison> {
  const wild = { ...bars, seed: 3, pace: 1.6 * pace }
  yield {
    what: 'P8 60,000 minutes',
    peer: nautilus,
    files: writeJob(folder, 'months', wide, madeBars({ ...wild, minutes: 60_000 })),
    warm: { must: 20, goal: 50 },
    whole: { goal: 10 },
  }
  const year = madeBars({ ...bars, seed: 6, minutes: 525_600, pace: 0.62 * pace })
  const files = writeJob(folder, 'year', wide, year)
  yield { what: 'P8 a year', peer: loop, files, repeats: 9, warm: { must: 1 / 100, goal: 1 / 60 } }
  const narrow = writeJob(folder, 'narrow', { levels: 201, step: 120 }, year)
  yield {
    what: 'P8 a year, 0.2 %',
    peer: loop,
    files: narrow,
    rounds: 3,
    repeats: 9,
    warm: { goal: 1 / 120 },
  }
  // Its range is that of the lines, and a thousandth of its trades pass one.
  const trades = madeTrades({ ...bars, seed: 6, minutes: 5000, pace: 0.000_79 }, 100)
  yield {
    what: 'P7 3 M trades',
    peer: hft,
    files: writeJob(folder, 'trades', { levels: 101, step: 60 }, trades),
    warm: { must: 3, goal: 10 },
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
  const { what, peer, files, rounds: count = rounds, repeats = 1, warm, whole } = comparison
  const program = [python, '-B', programFile(peer.program), files.job]
  const flags = ['--no-parallel-scavenge']
  const us = new Contender([process.execPath, ...flags, rungsProgram, files.strategy, files.market])
  const them = new Contender(program)
  try {
    const cold = { ours: await us.run(), theirs: await them.run() }
    const [ours, theirs] = [await us.fills(), await them.fills()]
    if (!isEqual(`${what}: ${peer.name}`, ours, theirs)) return
    const times = []
    for (let round = 0; round < count; round++) times.push(await roundOf(us, them, { round, repeats }))
    tellRatio(`${what}: ${peer.name}`, times, warm, `, ${ours.length} fills`)
    tellRatio('   the first run', [cold], {})
  } finally {
    await Promise.all([us.close(), them.close()])
  }
  if (whole) tellRatio('   the whole process', wholeProcesses(python, program, files), whole)
}

/** Tells whether all fills are equal, or what differs first. */
function isEqual(what: string, ours: readonly string[], theirs: readonly string[]): boolean {
  const first = Array.from({ length: Math.max(ours.length, theirs.length) }).findIndex(
    (_, index) => ours[index] !== theirs[index],
  )
  if (first === -1) {
    process.stdout.write(`${what} finds the same ${ours.length} fills\n`)
    return true
  }
  const seen = `fill ${first + 1} is ${theirs[first] ?? 'missing'}, and ours is ${ours[first] ?? 'missing'}`
  process.stdout.write(`${what} finds ${theirs.length} fills, and Rungs ${ours.length}: ${seen}  MISSED\n`)
  process.exitCode = 1
  return false
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

function tellRatio(what: string, times: readonly Times[], { must, goal }: Goals, more = ''): void {
  const ratios = times.map(({ ours, theirs }) => theirs / ours).toSorted((a, b) => a - b)
  const ratio = medianOf(ratios)
  const spread = ratios.length > 1 ? ` (${rangeOf(ratios)})` : ''
  const [ours, theirs] = [
    medianOf(times.map(({ ours }) => ours)),
    medianOf(times.map(({ theirs }) => theirs)),
  ]
  const found = `${factor(ratio)} x${spread}, ${msText(ours)} against ${msText(theirs)} ms${more}`
  const isMet = ratio >= (must ?? goal ?? 0)
  const wanted = [must && `must ${factor(must)} x`, goal && `goal ${factor(goal)} x`]
    .filter(Boolean)
    .join(', ')
  process.stdout.write(`${what.padEnd(46)} ${found.padEnd(60)} ${wanted}${isMet ? '' : '  MISSED'}\n`)
  if (!isMet) process.exitCode = 1
}

function rangeOf(ratios: readonly number[]): string {
  return `${factor(ratios[0] ?? 0)} to ${factor(ratios.at(-1) ?? 0)}`
}

/** A ratio far below one is easier to read as a fraction. */
function factor(ratio: number): string {
  return ratio < 0.1 ? `1/${(1 / ratio).toFixed(0)}` : ratio.toPrecision(2)
}

function msText(ms: number): string {
  return ms < 100 ? ms.toFixed(1) : ms.toFixed(0)
}
