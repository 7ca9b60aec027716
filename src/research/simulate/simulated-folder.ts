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
import type { SimulatedMachine } from './simulated-machine.ts'
import type { SimulatedTime } from './simulated-time.ts'

/** File system in memory of Linux, where syncs are fast. */
const inMemory = '/dev/shm'

/** An empty folder for the state folders of one simulation. */
export function newRoot(): string {
  let parent = tmpdir()
  try {
    accessSync(inMemory, constants.W_OK)
    parent = inMemory
  } catch {
    // On a disk the simulation is only slower.
  }
  return mkdtempSync(join(parent, 'rungs-simulate-'))
}

const names = ['journal.sqlite', 'journal.sqlite-wal', 'journal.end', 'nonce']

/** Bytes of a commit in the log of SQLite, and the end file before it: a power cut can keep a part of the bytes. */
export type Commit = { from: number; to: number; end: string }

/** The state folder with the real journal, on a disk that loses unsynced data: after a kill, the next process opens a copy. */
export class SimulatedFolder {
  #path: string
  readonly #root: string
  #count = 0

  constructor(root: string) {
    this.#root = root
    this.#path = join(root, '0')
    mkdirSync(this.#path, { recursive: true })
  }

  /** The folder of the next process, or of the one that runs. */
  get path(): string {
    return this.#path
  }

  get noncePath(): string {
    return join(this.#path, 'nonce')
  }

  open(time: SimulatedTime, machine: SimulatedMachine): SqliteJournal<Engine> {
    return openJournal(this.#path, {
      account: 'paper',
      engine: engineVersion,
      begin: (state) => new Engine(state),
      later: (act, ms) => time.after(ms, () => machine.deliver(act)),
    })
  }

  /** Commits, and returns the written bytes of the log. Undefined if SQLite has moved the log into its main file. */
  committing(commit: () => void): Commit | undefined {
    const from = this.#logBytes()
    const end = readFileSync(join(this.#path, 'journal.end'), 'latin1')
    commit()
    const to = this.#logBytes()
    return to > from ? { from, to, end } : undefined
  }

  /** Creates the folder of the next process. `torn` is a commit of which the disk kept a part. */
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
      // This file is written after the commit.
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
