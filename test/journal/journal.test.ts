import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { History } from '#src/journal/history.ts'
import { openJournal, stateEvery } from '#src/journal/journal.ts'
import { chanceOf } from '../fuzz/chance.ts'
import { seed } from '../properties/runs.ts'
import { account, begin, CountingMachine, engine, live, open } from './counting-machine.ts'

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
  expect(dead.recovery).toEqual({ from: 0, redone: 500, spoiled: [] })
  expect(JSON.stringify(dead.machine.state)).toBe(state)
  dead.close()
  const well = open(place('again'))
  expect(well.recovery).toEqual({ from: 500, redone: 0, spoiled: [] })
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
  live(journal, stateEvery * 2 + 5000, chanceOf(seed))
  journal.commit()
  const state = JSON.stringify(journal.machine.state)
  cpSync(place('long'), place('long-dead'), { recursive: true })
  journal.close()
  const again = open(place('long-dead'))
  expect(again.recovery).toEqual({ from: stateEvery * 2, redone: 5000, spoiled: [] })
  expect(JSON.stringify(again.machine.state)).toBe(state)
  again.close()
})

test('a journal of another account is refused, and both are named', () => {
  open(place('account')).close()
  expect(() => openJournal(place('account'), { account: 'key other at home', engine, begin })).toThrow(
    expect.objectContaining({
      code: 'DATA_FOREIGN',
      seen: expect.stringContaining(`is the journal of ${account}, and this account is key other at home`),
    }),
  )
})

test('another engine goes on from a state, and never does records of an older one again', () => {
  const newer = { account, engine: 'counting 2', begin }
  const journal = open(place('engines'))
  live(journal, 50, chanceOf(seed))
  journal.commit()
  cpSync(place('engines'), place('engines-dead'), { recursive: true })
  journal.close()
  expect(() => openJournal(place('engines-dead'), newer)).toThrow(
    expect.objectContaining({ code: 'DATA_FOREIGN', seen: expect.stringContaining('by engine counting 1') }),
  )
  open(place('engines-dead')).close()
  const upgraded = openJournal(place('engines-dead'), newer)
  live(upgraded, 50, chanceOf(seed))
  upgraded.commit()
  cpSync(place('engines-dead'), place('engines-newer'), { recursive: true })
  upgraded.close()
  expect(() => open(place('engines-newer'))).toThrow(expect.objectContaining({ code: 'DATA_FOREIGN' }))
  expect(openJournal(place('engines-newer'), newer).recovery).toMatchObject({ from: 50, redone: 50 })
})

test('a machine that comes to something else when it does a record again is not trusted', () => {
  const journal = open(place('otherwise'))
  live(journal, 200, chanceOf(seed))
  journal.commit()
  cpSync(place('otherwise'), place('otherwise-dead'), { recursive: true })
  journal.close()
  class Dearer extends CountingMachine {
    override step(event: Parameters<CountingMachine['step']>[0]) {
      if (this.state.nextChunk === 20) this.state.nextChunk = 21
      return super.step(event)
    }
  }
  const options = { account, engine, begin: (state: CountingMachine['state'] | null) => new Dearer(state) }
  expect(() => openJournal(place('otherwise-dead'), options)).toThrow(
    expect.objectContaining({ code: 'DATA_DAMAGED', seen: expect.stringContaining('otherwise') }),
  )
})

test('every sending of an order is told with its decision and its answer, also beside a running bot', () => {
  const journal = open(place('why'))
  live(journal, 300, chanceOf(seed))
  journal.commit()
  using history = new History(place('why'))
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

test('it is for its owner alone', () => {
  open(place('mine')).close()
  for (const name of ['', 'journal.sqlite', 'journal.pid']) {
    expect(statSync(join(place('mine'), name)).mode & 0o077).toBe(0)
  }
})
