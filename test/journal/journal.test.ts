import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import type { Event } from '#src/engine/events.ts'
import type { State } from '#src/engine/state/state.ts'
import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import { openJournal, stateEvery } from '#src/journal/sqlite/journal.ts'
import type { StepOutcome } from '#src/journal/port.ts'
import { chanceOf } from '../fuzz/chance.ts'
import { seed } from '../properties/runs.ts'
import { account, begin, CountingMachine, engine, explainLast, live, open } from './counting-machine.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-journal-'))
afterAll(() => rmSync(folder, { recursive: true }))

const place = (name: string) => join(folder, name)
const stateIn = (directory: string): string => {
  const journal = open(directory)
  const state = JSON.stringify(journal.machine.state)
  journal.close()
  return state
}

test('what was committed is there again, whether it was closed well or not at all', () => {
  const journal = open(place('again'))
  expect(journal.machine.state.at).toBe(0)
  live(journal, 500, chanceOf(seed))
  journal.commit()
  const state = JSON.stringify(journal.machine.state)
  // The files while it still holds them are what a dead process leaves.
  cpSync(place('again'), place('dead'), { recursive: true })
  journal.close()
  const dead = open(place('dead'))
  expect(dead.recovery).toEqual({ from: 0, redone: 500, recalled: null, spoiled: [] })
  expect(JSON.stringify(dead.machine.state)).toBe(state)
  dead.close()
  const well = open(place('again'))
  expect(well.recovery).toEqual({ from: 500, redone: 0, recalled: null, spoiled: [] })
  expect(JSON.stringify(well.machine.state)).toBe(state)
  well.close()
})

test('what was not committed is gone as a whole, and life goes on from before it', () => {
  const journal = open(place('half'))
  live(journal, 100, chanceOf(seed))
  journal.commit()
  const state = JSON.stringify(journal.machine.state)
  live(journal, 30, chanceOf(seed))
  cpSync(place('half'), place('half-dead'), { recursive: true })
  journal.close()
  expect(stateIn(place('half-dead'))).toBe(state)
})

test('cut off at any boundary, it holds all up to the last commit and nothing after it', () => {
  const journal = open(place('boundaries'))
  const chance = chanceOf(seed)
  let committed = JSON.stringify(journal.machine.state)
  const expectThere = (name: string) => {
    cpSync(place('boundaries'), place(name), { recursive: true })
    expect(stateIn(place(name))).toBe(committed)
    rmSync(place(name), { recursive: true })
  }
  for (let turn = 0; turn < 40; turn++) {
    live(journal, 1 + chance.below(3), chance)
    expectThere(`appended-${turn}`)
    journal.commit()
    committed = JSON.stringify(journal.machine.state)
    expectThere(`committed-${turn}`)
  }
  journal.close()
  expectThere('closed')
})

test('a machine that failed in the middle of a step leaves none of it behind', () => {
  const journal = open(place('failed'))
  live(journal, 100, chanceOf(seed))
  journal.commit()
  const state = JSON.stringify(journal.machine.state)
  journal.machine.state.stopped = 'half way'
  const fault = new Error('a fault of ours')
  journal.abandon(fault)
  expect(() => journal.commit()).toThrow(fault)
  expect(() => live(journal, 1, chanceOf(seed))).toThrow(fault)
  journal.close()
  expect(stateIn(place('failed'))).toBe(state)
})

test('market events reach the disk without anybody asking', async () => {
  const journal = open(place('moment'))
  live(journal, 2, chanceOf(seed))
  using reader = new DatabaseSync(join(place('moment'), 'journal.sqlite'), { readOnly: true })
  const count = () => Number(reader.prepare('SELECT count(*) AS count FROM events').get()?.['count'])
  expect(count()).toBe(0)
  await expect.poll(count).toBe(2)
  journal.close()
})

test('a long life is rebuilt from its last state and the records after it', () => {
  const journal = open(place('long'))
  live(journal, stateEvery + 5000, chanceOf(seed))
  journal.commit()
  const state = JSON.stringify(journal.machine.state)
  cpSync(place('long'), place('long-dead'), { recursive: true })
  journal.close()
  const again = open(place('long-dead'))
  expect(again.recovery).toEqual({ from: stateEvery, redone: 5000, recalled: null, spoiled: [] })
  expect(JSON.stringify(again.machine.state)).toBe(state)
  again.close()
})

test('a journal of another account is refused, and both are named', () => {
  open(place('account')).close()
  expect(() => openJournal(place('account'), { account: 'key other at home', engine, begin })).toThrow(
    expect.objectContaining({
      code: 'DATA_FOREIGN',
      seen: expect.stringContaining(
        `is the journal of ${account}, and the current account is key other at home`,
      ),
    }),
  )
})

test('another engine goes on from a state, and recalls what an older one did behind it', () => {
  const newer = { account, engine: 'counting 2', begin: (state: State | null) => new Dearer(state) }
  const journal = open(place('engines'))
  live(journal, 50, chanceOf(seed))
  journal.commit()
  cpSync(place('engines'), place('engines-dead'), { recursive: true })
  journal.close()
  expect(openJournal(place('engines'), newer).recovery).toMatchObject({ redone: 0, recalled: null })
  const upgraded = openJournal(place('engines-dead'), newer)
  expect(upgraded.recovery).toMatchObject({ from: 0, redone: 50, recalled: engine })
  const { orders, chunks, nextChunk } = journal.machine.state
  expect(upgraded.machine.state).toMatchObject({ orders, chunks, nextChunk })
  live(upgraded, 50, chanceOf(seed))
  upgraded.commit()
  cpSync(place('engines-dead'), place('engines-newer'), { recursive: true })
  upgraded.close()
  // It kept a state of its own at once: what it has done itself is done again.
  expect(openJournal(place('engines-newer'), newer).recovery).toMatchObject({
    from: 50,
    redone: 50,
    recalled: null,
  })
})

class Dearer extends CountingMachine {
  override step(event: Event): StepOutcome {
    if (this.state.nextChunk === 20) this.state.nextChunk = 21
    return super.step(event)
  }
}

class Forgetful extends CountingMachine {
  override step(event: Event): StepOutcome {
    if (event.kind === 'tick') this.state.stopped = 'at a tick'
    return super.step(event)
  }
}

test.each([
  ['what it did', Dearer, /^the commands of record \d+: repeating the journal/],
  ['what it knows', Forgetful, /^the state after record 4096: repeating the journal/],
])('a machine for which %s comes out otherwise when it is done again is not trusted', (name, Other, seen) => {
  const journal = open(place(name))
  live(journal, 5000, chanceOf(seed))
  journal.commit()
  cpSync(place(name), place(`${name}-dead`), { recursive: true })
  journal.close()
  const options = { account, engine, begin: (state: State | null) => new Other(state) }
  expect(() => openJournal(place(`${name}-dead`), options)).toThrow(
    expect.objectContaining({ code: 'DATA_DAMAGED', seen: expect.stringMatching(seen) }),
  )
})

test('beyond its size it forgets the oldest, and keeps what open orders and the last answers need', () => {
  const mostBytes = 2_000_000
  const journal = open(place('old'), { mostBytes })
  const chance = chanceOf(seed)
  live(journal, 10_000, chance)
  journal.commit()
  const early = Object.values(journal.machine.state.orders).filter(({ status }) => status === 'resting')
  const gone = Object.values(journal.machine.state.orders).filter(({ status }) => status === 'ended')
  live(journal, stateEvery * 2, chance)
  journal.commit()
  using history = new SqliteHistory(place('old'))
  expect(early.length).toBeGreaterThan(20)
  for (const { id, sentAt } of early) {
    const [sending] = history.sendings(id)
    expect(sending).toMatchObject({
      event: { at: sentAt },
      decided: { decision: { rungs: [{ order: id }] } },
    })
  }
  for (const { id } of gone) expect(history.sendings(id)).toEqual([])
  const state = JSON.stringify(journal.machine.state)
  cpSync(place('old'), place('old-dead'), { recursive: true })
  journal.close()
  const again = open(place('old-dead'), { mostBytes })
  expect(JSON.stringify(again.machine.state)).toBe(state)
  again.close()
  using db = new DatabaseSync(join(place('old'), 'journal.sqlite'))
  const first = Number(db.prepare('SELECT complete_from AS first FROM meta').get()?.['first'])
  expect(first).toBeGreaterThan(10_000)
  const count = (sql: string) => Number(db.prepare(sql).get()?.['count'])
  const openOrders = Object.values(again.machine.state.orders).filter(
    ({ status }) => status !== 'ended',
  ).length
  expect(count(`SELECT count(*) AS count FROM commands WHERE seq < ${first}`)).toBeLessThanOrEqual(openOrders)
  expect(count(`SELECT count(*) AS count FROM sendings`)).toBe(
    count('SELECT count(*) AS count FROM commands'),
  )
})

test('every sending of an order is told with its decision and its answer, also beside a running bot', () => {
  const journal = open(place('why'))
  live(journal, 300, chanceOf(seed))
  explainLast(journal)
  journal.commit()
  using history = new SqliteHistory(place('why'))
  const { orders } = journal.machine.state
  const answered = Object.values(orders).filter(({ status }) => status !== 'sending')
  expect(answered.length).toBeGreaterThan(10)
  for (const { id, ladder, sentAt, price, status } of answered) {
    const [sending, ...more] = history.sendings(id)
    expect(more).toEqual([])
    expect(sending).toMatchObject({
      event: { kind: 'quote', at: sentAt },
      command: { orders: [{ id, price }] },
    })
    expect(sending?.decided).toMatchObject({ decision: { at: sentAt, ladder, rungs: [{ order: id }] } })
    expect(sending?.answer?.orders[0]?.kind).toBe(status === 'resting' ? 'accepted' : 'refused')
  }
  const newest = Object.values(orders).findLast(({ ladder }) => ladder === 'low')
  expect(history.decided('grid', 'low')?.decision.rungs[0]?.order).toBe(newest?.id)
  expect(history.decided('grid', 'nowhere')).toBeNull()
  expect(history.sendings('grid.low.1.999999')).toEqual([])
  journal.close()
})

test('what was sent last is found as well, whether something came behind it or the process was killed', () => {
  const journal = open(place('last'))
  const chance = chanceOf(seed)
  const { state } = journal.machine
  const told = (name: string, id: string) => {
    using history = new SqliteHistory(place(name))
    return history.sendings(id).length
  }
  for (let sent = 0; sent < 5;) {
    const before = state.nextChunk
    live(journal, 1, chance)
    if (state.nextChunk === before) continue
    sent += 1
    journal.commit()
    const id = Object.keys(state.orders).at(-1) ?? ''
    cpSync(place('last'), place(`last-${sent}`), { recursive: true })
    open(place(`last-${sent}`)).close()
    expect(told(`last-${sent}`, id)).toBe(1)
    // Now and then nothing follows before the end.
    if (sent < 5) live(journal, 1, chance)
    journal.commit()
    if (sent < 5) expect(told('last', id)).toBe(1)
  }
  const id = Object.keys(state.orders).at(-1) ?? ''
  journal.close()
  expect(told('last', id)).toBe(1)
})

test('the engine is made again as it was at one moment, though its bot goes on meanwhile', () => {
  const journal = open(place('meanwhile'))
  const chance = chanceOf(seed)
  live(journal, 100, chance)
  journal.commit()
  const state = JSON.stringify(journal.machine.state)
  using history = new SqliteHistory(place('meanwhile'))
  let steps = 0
  const again = history.machine(engine, (kept) => {
    const machine = begin(kept)
    const step = machine.step.bind(machine)
    machine.step = (event) => {
      steps += 1
      if (steps === 50) {
        live(journal, 50, chance)
        journal.commit()
      }
      return step(event)
    }
    return machine
  })
  expect(JSON.stringify(again.state)).toBe(state)
  journal.close()
})
