import {
  accessSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineVersion } from '#src/engine/engine-version.ts'
import { Engine } from '#src/engine/engine.ts'
import { openJournal, type SqliteJournal } from '#src/journal/sqlite/journal.ts'
import type { SimulatedMachine } from './machine.ts'
import type { VirtualTime } from './virtual-time.ts'

/** A file system in memory syncs at once; Linux has one here. */
const inMemory = '/dev/shm'

/** An empty folder for the state folders of one simulation. */
export function newRoot(): string {
  let parent = tmpdir()
  try {
    accessSync(inMemory, constants.W_OK)
    parent = inMemory
  } catch {
    // The simulation is slower on a disk, and finds the same.
  }
  return mkdtempSync(join(parent, 'rungs-simulate-'))
}

const names = ['journal.sqlite', 'journal.sqlite-wal', 'journal.end', 'nonce']

/** What a commit has put into the log of SQLite, and what the disk held before: a power cut can keep a part of it. */
export type Commit = { from: number; to: number; end: string }

/**
 * The state folder of the bot with the real journal, on a disk that loses what was not synced: after a kill, the next
 * process opens a copy of what the disk holds then.
 */
export class SimulatedFolder {
  #path: string
  readonly #root: string
  #count = 0

  constructor(root: string) {
    this.#root = root
    this.#path = join(root, '0')
    mkdirSync(this.#path, { recursive: true })
  }

  get noncePath(): string {
    return join(this.#path, 'nonce')
  }

  open(time: VirtualTime, machine: SimulatedMachine): SqliteJournal<Engine> {
    return openJournal(this.#path, {
      account: 'paper',
      engine: engineVersion,
      begin: (state) => new Engine(state),
      later: (act, ms) => time.after(ms, () => machine.deliver(act)),
    })
  }

  /** Commits, and says which bytes of the log that wrote. Undefined if SQLite has moved the log into its main file. */
  committing(commit: () => void): Commit | undefined {
    const from = this.#logBytes()
    const end = readFileSync(join(this.#path, 'journal.end'), 'latin1')
    commit()
    const to = this.#logBytes()
    return to > from ? { from, to, end } : undefined
  }

  /** Leaves the folder as the next process finds it. `torn` is a commit of which the disk kept a share. */
  crash(journal: SqliteJournal<Engine>, torn?: { commit: Commit; share: number }): void {
    this.#count += 1
    const next = join(this.#root, String(this.#count))
    mkdirSync(next)
    for (const name of names) {
      const from = join(this.#path, name)
      if (statSync(from, { throwIfNoEntry: false })) cpSync(from, join(next, name))
    }
    if (torn !== undefined) {
      const { from, to, end } = torn.commit
      truncateSync(join(next, 'journal.sqlite-wal'), from + Math.floor((to - from) * torn.share))
      // It is written after the commit.
      writeFileSync(join(next, 'journal.end'), end)
    }
    journal.abandon(new Error('the process was killed'))
    journal.close()
    rmSync(this.#path, { recursive: true })
    this.#path = next
  }

  #logBytes(): number {
    return statSync(join(this.#path, 'journal.sqlite-wal')).size
  }
}
