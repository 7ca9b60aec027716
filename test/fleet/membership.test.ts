import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfirmedJournal } from '#src/fleet/confirmed-journal.ts'
import { Database } from '#src/fleet/database.ts'
import { joinFleet, type Member } from '#src/fleet/membership.ts'
import { PostgresAccount } from '#src/fleet/postgres-account.ts'
import { prepareFolder } from '#src/fleet/prepare-folder.ts'
import { makeTables } from '#src/fleet/tables.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { stateEvery, type SqliteJournal } from '#src/journal/sqlite/journal.ts'
import { chanceOf } from '../fuzz/chance.ts'
import {
  account,
  type CountingMachine,
  engine,
  IdleMachine,
  live,
  open,
  otherEngine,
} from '../journal/counting-machine.ts'
import type { State } from '#src/engine/state/state.ts'
import { seed } from '../properties/runs.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { missingPostgres, startPostgres, type PostgresServer } from '#test/support/postgres.ts'

const folders = temporaryFolder()
let server: PostgresServer
let database: Database
const usualTermMs = 30_000

beforeAll(async () => {
  if (missingPostgres !== undefined) return
  server = await startPostgres()
  database = await Database.open(server.url, { connectMs: 5000, queryMs: 5000 })
  await Promise.all([makeTables(database), makeTables(database)])
}, 60_000)

afterAll(async () => {
  await database?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
  folders[Symbol.dispose]()
})

type Machine = { member: Member<CountingMachine>; local: SqliteJournal<CountingMachine>; lost: unknown[] }

type About = {
  who: string
  holder?: string
  isStandby?: boolean
  termMs?: number
  isPrepared?: boolean
  /** Of another version of the program. */
  isOther?: boolean
}

/** A process with a state folder that begins to trade for an account. */
async function start(name: string, about: About): Promise<Machine> {
  const { who, holder = name, isStandby = false, termMs = usualTermMs } = about
  const shared = new PostgresAccount(database, who)
  if (about.isPrepared !== true) await prepareFolder(folders.file(name), account, shared, 'before')
  const other = about.isOther === true && {
    engine: otherEngine,
    begin: (state: State | null) => new IdleMachine(state),
  }
  const local = open(folders.file(name), { ...other })
  const lost: unknown[] = []
  const member = await joinFleet({
    shared,
    local,
    terms: { holder, termMs },
    engine: about.isOther === true ? otherEngine : engine,
    clock: systemClock,
    isStandby,
    onWaiting: () => {},
    onLost: (error) => lost.push(error),
    signal: new AbortController().signal,
  }).catch((error: unknown) => {
    local.close()
    throw error
  })
  return { member, local, lost }
}

async function stop({ member: { journal, lease } }: Machine): Promise<void> {
  await journal.close()
  await lease.release({ hasFailed: false })
}

/** An error in the process: what it has not confirmed stays on its disk. */
async function crash({ member: { journal, lease }, local }: Machine): Promise<void> {
  journal.abandon(new Error('the process ends here'))
  local.close()
  await lease.release({ hasFailed: true })
}

const stateOf = ({ local }: Machine) => JSON.stringify(local.machine.state)

describe.skipIf(missingPostgres !== undefined)('a fleet on one server', () => {
  test('a second process for the same account is refused, and says who has the lease', async () => {
    const first = await start('a1', { holder: 'first on host a', who: 'a' })
    await expect(start('a2', { who: 'a' })).rejects.toMatchObject({
      code: 'LEASE_HELD',
      seen: expect.stringContaining('first on host a trades for the account a'),
    })
    await stop(first)
    const second = await start('a2', { who: 'a' })
    expect(second.member.lease.taken.epoch).toBeGreaterThan(first.member.lease.taken.epoch)
    await stop(second)
  })

  test('what is committed stands at the server, and another folder continues with it', async () => {
    const first = await start('b1', { who: 'b' })
    live(first.member.journal, 200, chanceOf(seed))
    await first.member.journal.commit()
    expect(await new PostgresAccount(database, 'b').confirmed()).toBe(first.local.end.seq)
    const state = stateOf(first)
    await stop(first)
    const second = await start('b2', { who: 'b' })
    expect(stateOf(second)).toBe(state)
    expect(second.local.end).toMatchObject({ seq: 200 })
    await stop(second)
  })

  test('a journal that stopped between its disk and the server sends the rest at the next start', async () => {
    const first = await start('c1', { who: 'c' })
    live(first.member.journal, 50, chanceOf(seed))
    await first.member.journal.commit()
    live(first.local, 20, chanceOf(seed + 1))
    first.local.commit()
    expect(await new PostgresAccount(database, 'c').confirmed()).toBe(50)
    await crash(first)
    const again = await start('c1', { who: 'c' })
    expect(await new PostgresAccount(database, 'c').confirmed()).toBe(again.local.end.seq)
    expect(again.local.end.seq).toBe(70)
    await stop(again)
  })

  test('a process that was away does not commit any more once another one has its lease', async () => {
    const first = await start('d1', { who: 'd' })
    live(first.member.journal, 30, chanceOf(seed))
    await first.member.journal.commit()
    // As a debugger or a suspended machine would stop it: nothing renews the lease.
    await database.query(`UPDATE rungs.leases SET expires = clock_timestamp() WHERE account = 'd'`)
    const second = await start('d2', { who: 'd' })
    live(second.member.journal, 10, chanceOf(seed + 2))
    await second.member.journal.commit()
    live(first.member.journal, 10, chanceOf(seed + 3))
    await expect(first.member.journal.commit()).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(first.lost).toHaveLength(1)
    expect(first.member.lease.remainingMs()).toBe(0)
    expect(await new PostgresAccount(database, 'd').confirmed()).toBe(second.local.end.seq)
    first.local.close()
    // Its own records after the last common one are moved aside.
    await stop(second)
    const again = await start('d1', { who: 'd' })
    expect(stateOf(again)).toBe(stateOf(second))
    await stop(again)
  })

  test('records that were never confirmed do not follow those of another process', async () => {
    const first = await start('h1', { who: 'h' })
    live(first.member.journal, 30, chanceOf(seed))
    await first.member.journal.commit()
    // On its disk, and not at the server.
    live(first.local, 20, chanceOf(seed + 7))
    first.local.commit()
    await crash(first)
    // It is prepared before another process continues with fewer records.
    await prepareFolder(folders.file('h1'), account, new PostgresAccount(database, 'h'), 'before')
    const second = await start('h2', { who: 'h' })
    live(second.member.journal, 10, chanceOf(seed + 8))
    await second.member.journal.commit()
    await stop(second)
    await expect(start('h1', { who: 'h', isPrepared: true })).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(await new PostgresAccount(database, 'h').confirmed()).toBe(40)
    const again = await start('h1', { who: 'h' })
    expect(stateOf(again)).toBe(stateOf(second))
    await stop(again)
  })

  test('after three processes that failed, a fourth one is refused, and one that ends normally clears the account', async () => {
    const fail = async () => {
      await crash(await start('i1', { who: 'i' }))
    }
    await fail()
    await fail()
    await stop(await start('i1', { who: 'i' }))
    for (let failure = 0; failure < 3; failure++) await fail()
    await expect(start('i1', { who: 'i' })).rejects.toMatchObject({
      code: 'LEASE_REFUSED',
      seen: expect.stringMatching(/^3 processes for the account i have failed within 10 minutes/),
    })
    await database.query(`UPDATE rungs.leases SET starts = '{}' WHERE account = 'i'`)
    await stop(await start('i1', { who: 'i' }))
  })

  test('a new machine begins with the newest state, and the server forgets the records before the state before it', async () => {
    const first = await start('k1', { who: 'k', termMs: 10_000 })
    // Two whole states.
    for (let round = 0; round < 9; round++) {
      live(first.member.journal, 4096, chanceOf(seed + round))
      await first.member.journal.commit()
    }
    const state = stateOf(first)
    await stop(first)
    const { rows } = await database.query(`SELECT min(seq), count(*) FROM rungs.records WHERE account = 'k'`)
    expect(rows).toEqual([{ min: String(stateEvery + 1), count: String(9 * 4096 - stateEvery) }])
    const second = await start('k2', { who: 'k' })
    expect(second.local.recovery).toMatchObject({ from: 2 * stateEvery, redone: 0 })
    expect(stateOf(second)).toBe(state)
    await stop(second)
  })

  test('a standby follows, and takes over when the lease ends', async () => {
    const first = await start('e1', { who: 'e' })
    live(first.member.journal, 40, chanceOf(seed))
    await first.member.journal.commit()
    const waiting = start('e2', { who: 'e', isStandby: true })
    live(first.member.journal, 40, chanceOf(seed + 4))
    await first.member.journal.commit()
    const state = stateOf(first)
    const beganAt = performance.now()
    await stop(first)
    const second = await waiting
    // The holder has freed the lease: the standby does not wait for its end.
    expect(performance.now() - beganAt).toBeLessThan(usualTermMs / 2)
    expect(stateOf(second)).toBe(state)
    await stop(second)
  })

  test('a standby of another version follows what the holder decided, and decides itself once it has the lease', async () => {
    const first = await start('l1', { who: 'l' })
    live(first.member.journal, 40, chanceOf(seed))
    await first.member.journal.commit()
    const waiting = start('l2', { who: 'l', isStandby: true, isOther: true })
    live(first.member.journal, 40, chanceOf(seed + 9))
    await first.member.journal.commit()
    const state = stateOf(first)
    await stop(first)
    const second = await waiting
    expect(second.local.machine).toBeInstanceOf(IdleMachine)
    expect(stateOf(second)).toBe(state)
    live(second.member.journal, 20, chanceOf(seed + 10))
    await second.member.journal.commit()
    expect(second.local.machine.state.nextChunk).toBe(first.local.machine.state.nextChunk)
    const after = stateOf(second)
    await stop(second)
    // And back: the version before continues.
    const third = await start('l1', { who: 'l' })
    expect(stateOf(third)).toBe(after)
    await stop(third)
  })

  test('an outage that is shorter than the term delays a commit, and a longer one ends the right to trade', async () => {
    const patient = await start('f1', { who: 'f', termMs: 120_000 })
    live(patient.member.journal, 10, chanceOf(seed))
    await server.crash()
    await patient.member.journal.commit()
    expect(patient.lost).toEqual([])
    await stop(patient)
    const hasty = await start('f2', { who: 'f', termMs: 1000 })
    live(hasty.member.journal, 10, chanceOf(seed + 5))
    server.freeze()
    await expect(hasty.member.journal.commit()).rejects.toMatchObject({ code: 'LEASE_LOST' })
    server.thaw()
    hasty.local.close()
  })

  test('an empty journal begins with the state of the server, also if that was made after the first record', async () => {
    const alone = open(folders.file('m1'))
    live(alone, 1, chanceOf(seed))
    alone.close()
    await stop(await start('m1', { who: 'm' }))
    open(folders.file('m2')).close()
    const second = await start('m2', { who: 'm' })
    expect(second.local.end.seq).toBe(1)
    await stop(second)
  })

  test('a journal that was there before the fleet begins with its state', async () => {
    const alone = open(folders.file('g1'))
    live(alone, 60, chanceOf(seed))
    alone.close()
    const first = await start('g1', { who: 'g' })
    live(first.member.journal, 5, chanceOf(seed + 6))
    await first.member.journal.commit()
    const state = stateOf(first)
    await stop(first)
    const second = await start('g2', { who: 'g' })
    expect(stateOf(second)).toBe(state)
    expect(second.member.journal).toBeInstanceOf(ConfirmedJournal)
    await stop(second)
  })
})
