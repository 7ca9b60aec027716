import { deepEqual } from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fdatasyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { hash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { Explanation } from '#src/engine/explain/explanation.ts'
import { Engine } from '#src/engine/engine.ts'
import type { Event } from '#src/engine/events.ts'
import type { State } from '#src/engine/state/state.ts'
import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import { openJournal, stateEvery, type SqliteJournal } from '#src/journal/sqlite/journal.ts'
import { linkOf } from '#src/core/log/hash-chain.ts'
import { contentOf, journalChain, proofOf } from '#src/journal/record.ts'
import type { JournaledEngine } from '#src/journal/port.ts'
import { orderOf } from '#test/engine/support/working-state.ts'
import { EngineHarness, fileOf, noon } from '#test/engine/support/engine-harness.ts'
import { CountingMachine } from '../journal/counting-machine.ts'
import { confirmedIntents, intend } from './runner/confirmed-intents.ts'
import { medianOf } from './runner/median.ts'
import { note, report } from './runner/report.ts'

/**
 * P14: durable intents, one at a time and a hundred at a time, against a bare file that is written and synced in the same
 * rounds. `why` on a journal of a million records. P18: the recovery of a journal with ten million records and ten
 * thousand live orders, whose process was killed just before it would have stored its state again. Where neighbours take
 * turns on the same cores, the work that was done says more than the clock, so both are told.
 */
const [, , given] = process.argv
const folder = given ?? mkdtempSync(join(tmpdir(), 'rungs-journal-bench-'))
const account = 'bench'
const engine = 'bench'
const [orders, records, decisions] = [10_000, 10_000_000, 1_000_000]

/** The most that a tail can hold: an engine with all those orders, quotes at each millisecond, and a tick each second. */
function* tailOf(state: State): Generator<Event> {
  for (let step = 1; step < stateEvery; step++) {
    const at = state.at + 1
    const bid = 60_000 + (step % 7)
    if (step % 1000 === 0) yield { kind: 'tick', at }
    else yield { kind: 'quote', at, market: 'BTC_USDT', bid, ask: bid + 1, last: bid }
  }
}

function openWith<M extends JournaledEngine>(
  name: string,
  begin: (state: State | null) => M,
): SqliteJournal<M> {
  return openJournal(join(folder, name), { account, engine, begin })
}

const take = (into: number[], run: () => void) => {
  const start = performance.now()
  run()
  into.push(performance.now() - start)
}

function intents(): void {
  const journal = openWith('intents', (state) => new CountingMachine(state))
  const bare = openSync(join(folder, 'bare'), 'w')
  const entry = Buffer.alloc(3500, 'x')
  const times = { one: [] as number[], bare: [] as number[], hundred: [] as number[], work: [] as number[] }
  for (let round = 0; round < 40; round++) {
    for (let turn = 0; turn < 50; turn++) {
      take(times.one, () => {
        intend(journal)
        journal.commit()
      })
      take(times.bare, () => {
        writeSync(bare, entry)
        fdatasyncSync(bare)
      })
    }
    const busy = process.cpuUsage()
    for (let turn = 0; turn < 5; turn++) {
      take(times.hundred, () => {
        for (let count = 0; count < 100; count++) intend(journal)
        journal.commit()
      })
    }
    const { user, system } = process.cpuUsage(busy)
    times.work.push((user + system) / 1000 / 5)
  }
  journal.close()
  const [ours, floor, hundred] = [medianOf(times.one), medianOf(times.bare), medianOf(times.hundred)]
  const one = { ours, floor, ratio: ours / floor, unit: 'ms', atMost: 1.5 }
  report({ goal: 'P14', what: 'one durable intent, against write and fdatasync', ...one })
  report({
    goal: 'P14',
    what: 'a hundred durable intents, by their work and a sync',
    ours: Math.round(100_000 / (medianOf(times.work) + floor)),
    unit: 'a second',
    atLeast: 20_000,
    detail: `${hundred.toFixed(3)} ms, ${Math.round(100_000 / hundred)} a second by the clock`,
  })
}

/** Rows as a journal would have written them, hashes and all, in one transaction. */
function fill(name: string, state: State, count: number, decisionOf?: (seq: number) => Explanation): void {
  openWith(name, () => ({ state, step: () => ({ commands: [], decisions: [] }), recall() {} })).close()
  const db = new DatabaseSync(join(folder, name, 'journal.sqlite'))
  db.exec('PRAGMA synchronous = OFF; BEGIN')
  const events = db.prepare('INSERT INTO events (seq, at, kind, body, chain) VALUES (?, ?, ?, ?, ?)')
  const decided = db.prepare(
    'INSERT INTO decisions (seq, n, at, strategy, ladder, body) VALUES (?, 0, ?, ?, ?, ?)',
  )
  let chain = String(db.prepare('SELECT chain FROM states').get()?.['chain'])
  for (let seq = 1; seq <= count; seq++) {
    const at = state.at - count + seq
    const event = JSON.stringify({
      kind: 'quote',
      at,
      market: 'BTC_USDT',
      bid: 60_000,
      ask: 60_001,
      last: 60_000.5,
    })
    const decision = decisionOf?.(seq)
    const bodies = decision === undefined ? [] : [JSON.stringify(decision)]
    chain = linkOf(journalChain, chain, contentOf({ event, commands: [], decisions: bodies }))
    events.run(seq, at, 'quote', event, chain)
    if (decision) decided.run(seq, at, decision.strategy, decision.ladder, bodies[0] ?? null)
  }
  const text = JSON.stringify(state)
  const mark = { seq: count, engine, chain, hash: hash('sha256', text) }
  db.prepare(
    'INSERT INTO states (seq, at, engine, chain, hash, proof, state) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ).run(count, state.at, engine, chain, mark.hash, proofOf(mark), text)
  db.exec('COMMIT')
  db.close()
}

function why(): void {
  const state = new CountingMachine(null).state
  state.at = decisions
  const ladders = Array.from({ length: 100 }, (_, index) => `ladder${index}`)
  fill('why', state, decisions, (seq) => {
    const machine = new CountingMachine(null)
    const at = seq * 3
    machine.step({ kind: 'quote', at, market: 'BTC_PERP', bid: 1, ask: 2, last: 1 })
    // What was decided is told once the command has left.
    const [decision] = machine.step({ kind: 'carried', at }).decisions
    if (!decision) throw new Error('nothing was decided')
    return { ...decision, ladder: ladders[seq % 100] ?? '' }
  })
  const times: number[] = []
  for (const ladder of ladders) {
    const start = performance.now()
    using history = new SqliteHistory(join(folder, 'why'))
    deepEqual(history.decided('grid', ladder)?.decision.ladder, ladder)
    times.push(performance.now() - start)
  }
  const detail = `at most ${Math.max(...times).toFixed(2)} ms`
  report({ what: 'why, of a million records', ours: medianOf(times), unit: 'ms', atMost: 50, detail })
}

function stateWithOrders(): State {
  const harness = new EngineHarness([fileOf('static-grid')])
  harness.quote('BTC_USDT', 60_000)
  const { state } = harness.engine
  for (let level = 1; level <= orders; level++) {
    const price = String(30_000 - level)
    const order = orderOf({
      ladder: 'grid',
      level: `x${level}`,
      side: 'buy',
      role: 'entry',
      price,
      amount: '0.001',
    })
    const id = `sgrid.grid.x${level}.1`
    state.orders[id] = {
      ...order,
      id,
      strategy: 'sgrid',
      market: 'BTC_USDT',
      sentAt: noon,
      venueId: String(level),
    }
  }
  return state
}

/** In a process of its own, that is killed when it has said so. */
function live(): void {
  const journal = openWith('recovery', (state) => new Engine(state))
  const { machine } = journal
  const pauses: number[] = []
  for (const event of tailOf(machine.state)) {
    const start = performance.now()
    journal.append(event, machine.step(event))
    pauses.push(performance.now() - start)
  }
  journal.commit()
  const state = hash('sha256', JSON.stringify(machine.state))
  process.send?.({ medianUs: medianOf(pauses) * 1000, mostMs: Math.max(...pauses), state })
  setInterval(() => {}, 1000)
}

async function recovery(): Promise<void> {
  const whole = Math.floor(records / stateEvery) * stateEvery
  fill('recovery', stateWithOrders(), whole)
  const child = fork(fileURLToPath(import.meta.url), [folder])
  const [said] = await once(child, 'message')
  child.kill('SIGKILL')
  await once(child, 'close')
  const pauses: { medianUs: number; mostMs: number; state: string } = said
  const [start, busy] = [performance.now(), process.cpuUsage()]
  const journal = openWith('recovery', (state) => new Engine(state))
  const [time, { user, system }] = [performance.now() - start, process.cpuUsage(busy)]
  const work = (user + system) / 1000
  deepEqual(journal.recovery, { from: whole, redone: stateEvery - 1, recalled: null, spoiled: [] })
  deepEqual(hash('sha256', JSON.stringify(journal.machine.state)), pauses.state)
  const text = JSON.stringify(journal.machine.state)
  const read = performance.now()
  hash('sha256', text)
  JSON.parse(text)
  const trading = performance.now() - read
  journal.close()
  const megabytes = statSync(join(folder, 'recovery', 'journal.sqlite')).size / 1e6
  report({
    goal: 'P18',
    what: `recovery of ${whole} records, ${orders} orders`,
    ours: work,
    unit: 'ms of work',
    atMost: 2000,
    detail: `${Math.round(time)} ms, ${(time / trading).toFixed(1)} x reading its state of ${(text.length / 1e6).toFixed(1)} MB`,
  })
  note(
    `the file has ${Math.round(megabytes)} MB; a step with its record takes ${pauses.medianUs.toFixed(1)} us,`,
  )
  note(`and at most ${pauses.mostMs.toFixed(0)} ms, where the state is stored`)
}

if (given !== undefined) live()
else {
  intents()
  await confirmedIntents((name) => openWith(name, (state) => new CountingMachine(state)))
  why()
  await recovery()
  rmSync(folder, { recursive: true })
}
