import { statSync } from 'node:fs'

type Held = { path: string; dev: number; ino: number }

/** Files that a process holds open. Once one is deleted or moved, later writes to it are lost. */
export class HeldFiles {
  readonly #files: Held[]

  /** Of these files, those that are there. */
  constructor(paths: readonly string[]) {
    this.#files = paths.flatMap((path) => fileAt(path) ?? [])
  }

  /** The first path that no longer leads to the file that it led to. */
  lost(): string | undefined {
    return this.#files.find(({ path, dev, ino }) => {
      const now = fileAt(path)
      return now?.ino !== ino || now.dev !== dev
    })?.path
  }
}

function fileAt(path: string): Held | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat && { path, dev: stat.dev, ino: stat.ino }
  } catch {
    return undefined
  }
}
