import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import { chanceOf } from '../fuzz/chance.ts'
import { seed } from '../properties/runs.ts'
import { begin, engine, live, open } from './counting-machine.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-journal-history-'))
afterAll(() => rmSync(folder, { recursive: true }))
const place = (name: string) => join(folder, name)

function bytesIn(directory: string): Buffer[] {
  return ['', '-wal'].map((end) => readFileSync(join(directory, `journal.sqlite${end}`)))
}

/** A bot that was killed after so many records, and the ids of its orders. */
function killed(name: string, records: number) {
  const journal = open(place(`${name}-alive`))
  live(journal, records, chanceOf(seed))
  journal.commit()
  cpSync(place(`${name}-alive`), place(name), { recursive: true })
  journal.close()
  return { state: journal.machine.state, orders: Object.keys(journal.machine.state.orders) }
}

test('the history finds an order of the first record with its decision', () => {
  const journal = open(place('first'))
  const { machine } = journal
  const event = { kind: 'quote', at: 3, market: 'BTC_PERP', bid: 60_000, ask: 60_001, last: null } as const
  journal.append(event, machine.step(event))
  const carried = { kind: 'carried', at: 3 } as const
  journal.append(carried, machine.step(carried))
  journal.commit()
  const [id = ''] = Object.keys(machine.state.orders)
  using history = new SqliteHistory(place('first'))
  expect(history.sendings(id)).toMatchObject([{ seq: 1, event, decided: { seq: 2 }, answer: null }])
  journal.close()
})

test('the engine is made again as often as it is asked for, also after a failure', () => {
  const { state } = killed('often', 100)
  using history = new SqliteHistory(place('often'))
  const fault = new Error('a fault of ours')
  expect(() =>
    history.machine(engine, () => {
      throw fault
    }),
  ).toThrow(fault)
  for (let time = 0; time < 2; time++) expect(history.machine(engine, begin).state).toEqual(state)
})

test('a history changes no file of a bot that was killed', () => {
  const { orders } = killed('untouched', 100)
  const before = bytesIn(place('untouched'))
  {
    using history = new SqliteHistory(place('untouched'))
    expect(history.sendings(orders.at(-2) ?? '')).toHaveLength(1)
    expect(() => history.sendings('nothing')).not.toThrow()
  }
  expect(bytesIn(place('untouched'))).toEqual(before)
})

test('the history finds an order even if the index names another command of its record', () => {
  const { orders } = killed('index', 100)
  const id = orders.at(-2) ?? ''
  const told = () => {
    using history = new SqliteHistory(place('index'))
    return history.sendings(id)
  }
  const before = told()
  expect(before).toHaveLength(1)
  using db = new DatabaseSync(join(place('index'), 'journal.sqlite'))
  db.exec('UPDATE sendings SET n = n + 7')
  expect(told()).toEqual(before)
})
