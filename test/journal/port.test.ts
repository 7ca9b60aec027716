import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import { chanceOf } from '../fuzz/chance.ts'
import { seed } from '../properties/runs.ts'
import { account, begin, engine, explainLast, live, open } from './counting-machine.ts'
import { MemoryDisk, MemoryHistory, MemoryJournal } from './memory-journal.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-journal-port-'))
afterAll(() => rmSync(folder, { recursive: true }))
const options = { account, engine, begin }

/** The same random life in a journal of SQLite and in one of memory. */
function twoLives(steps: number) {
  const disk = new MemoryDisk()
  const journals = [open(join(folder, `life-${steps}`)), new MemoryJournal(disk, options)] as const
  for (const journal of journals) live(journal, steps, chanceOf(seed))
  journals[0].commit()
  void journals[1].commit()
  disk.sync()
  return { disk, journals }
}

test('the history of SQLite finds what a search through all records finds', () => {
  const { disk, journals } = twoLives(400)
  for (const journal of journals) explainLast(journal)
  journals[0].commit()
  void journals[1].commit()
  disk.sync()
  using history = new SqliteHistory(join(folder, 'life-400'))
  using naive = new MemoryHistory(disk, account)
  const orders = disk.stored
    .flatMap(({ commands }) => commands)
    .flatMap((text) => JSON.parse(text).orders)
    .map(({ id }) => String(id))
  expect(orders.length).toBeGreaterThan(50)
  for (const id of [...orders, 'grid.low.1.999999']) expect(history.sendings(id)).toEqual(naive.sendings(id))
  for (const ladder of ['low', 'high', 'nowhere'])
    expect(history.decided('grid', ladder)).toEqual(naive.decided('grid', ladder))
  expect(history.ladders().toSorted()).toEqual(naive.ladders().toSorted())
  expect(history.machine(engine, begin).state).toEqual(naive.machine(engine, begin).state)
  journals[0].close()
})

test('a journal in memory is rebuilt by the same rules: committed steps stay, others are lost', () => {
  const { disk, journals } = twoLives(100)
  const committed = JSON.stringify(journals[1].machine.state)
  live(journals[1], 20, chanceOf(seed))
  void journals[1].commit()
  const again = new MemoryJournal(disk, options)
  expect(again.recovery).toEqual({ from: 0, redone: 100, recalled: null, spoiled: [] })
  expect(JSON.stringify(again.machine.state)).toBe(committed)
  const changed = disk.stored[41]
  if (changed) disk.stored[41] = { ...changed, event: `${changed.event} ` }
  expect(() => new MemoryJournal(disk, options)).toThrow('record 42 was changed after it was written')
  journals[0].close()
})
