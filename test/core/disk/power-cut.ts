import { dirname } from 'node:path'
import type { Disk } from '#src/core/disk/atomic-write.ts'

type Content = { written: string; synced: string }
type Limits = { calls?: number; room?: number }

/**
 * A simulated disk in memory that can lose its power and can be full. After a power cut a file holds its synced
 * content, and a name given since the last sync of its folder may refer to the old file or to the new one.
 */
export class PowerCutDisk implements Disk {
  readonly #names = new Map<string, Content>()
  readonly #durable = new Map<string, Content>()
  readonly #open = new Map<number, Content>()
  #opened = 0
  #callsLeft = Infinity
  #room = Infinity

  /** From now on only `calls` calls succeed, and only `room` bytes fit; a write takes as many as fit. */
  limit({ calls = Infinity, room = Infinity }: Limits): void {
    this.#callsLeft = calls
    this.#room = room
  }

  get names(): string[] {
    return [...this.#names.keys()]
  }

  read(path: string): string | undefined {
    return this.#names.get(path)?.written
  }

  /** Every content that a file may have after a power cut now. */
  readAfterPowerCut(path: string): (string | undefined)[] {
    return [this.#durable.get(path)?.synced, this.#names.get(path)?.synced]
  }

  create(path: string): number {
    this.#spend('open')
    if (this.#names.has(path)) throw failed('EEXIST', 'open')
    const content = { written: '', synced: '' }
    this.#names.set(path, content)
    this.#opened += 1
    this.#open.set(this.#opened, content)
    return this.#opened
  }

  write(file: number, bytes: Uint8Array, start: number): number {
    this.#spend('write')
    if (this.#room === 0) throw failed('ENOSPC', 'write')
    const part = bytes.subarray(start, start + this.#room)
    this.#room -= part.length
    this.#contentOf(file).written += Buffer.from(part).toString('utf8')
    return part.length
  }

  sync(file: number): void {
    this.#spend('fsync')
    const content = this.#contentOf(file)
    content.synced = content.written
  }

  close(file: number): void {
    this.#open.delete(file)
  }

  rename(from: string, to: string): void {
    this.#spend('rename')
    const content = this.#names.get(from)
    if (content === undefined) throw failed('ENOENT', 'rename')
    this.#names.delete(from)
    this.#names.set(to, content)
  }

  syncFolder(path: string): void {
    this.#spend('fsync')
    for (const [name, content] of this.#names) if (dirname(name) === path) this.#durable.set(name, content)
  }

  remove(path: string): void {
    this.#names.delete(path)
  }

  #contentOf(file: number): Content {
    const content = this.#open.get(file)
    if (content === undefined) throw failed('EBADF', 'write')
    return content
  }

  #spend(syscall: string): void {
    if (this.#callsLeft === 0) throw failed('EIO', syscall)
    this.#callsLeft -= 1
  }
}

function failed(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: ${syscall}`), { code, syscall })
}
