import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test, vi } from 'vitest'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { worldWith } from '#test/support/world.ts'
import { chanceOf } from '../fuzz/chance.ts'
import { live, open } from './counting-machine.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-durable-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What SQLite calls FULL: each commit waits until the disk has it. */
const full = 2

/** What the connections that write these commits are set to, as they say themselves. */
async function settingsOf(act: () => void | Promise<void>): Promise<unknown[]> {
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec')
  try {
    await act()
    const writers = new Set<DatabaseSync>()
    for (const [call, db] of exec.mock.contexts.entries())
      if (exec.mock.calls[call]?.[0] === 'COMMIT' && db instanceof DatabaseSync) writers.add(db)
    return [...writers].map((db) => db.prepare('PRAGMA synchronous').get()?.['synchronous'])
  } finally {
    exec.mockRestore()
  }
}

test('the journal waits for the disk with each commit', async () => {
  const journal = open(join(folder, 'journal'))
  const settings = await settingsOf(() => {
    live(journal, 10, chanceOf(1))
    journal.commit()
  })
  journal.close()
  expect(settings).toEqual([full])
})

test('the exchange waits for the disk with each commit', async () => {
  const running = await startExchange({
    world: worldWith(),
    clock: systemClock,
    profile: 'full',
    dataDirectory: join(folder, 'exchange'),
  })
  const client = createClient({ transport: httpTransport(running.url) })
  try {
    const settings = await settingsOf(async () => {
      running.exchange.moveClock(1000, running.exchange.state.at)
      expect(await client.time()).toMatchObject({ kind: 'answer' })
    })
    expect(settings).toEqual([full])
  } finally {
    await client.close()
    await running.close()
  }
})
