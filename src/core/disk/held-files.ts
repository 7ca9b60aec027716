import { statSync } from 'node:fs'

type Held = { path: string; dev: number; ino: number }

/** Files that a process holds open. After such a file is deleted or moved, writes to it are lost. */
export class HeldFiles {
  readonly #files: Held[]

  /** Ignores paths without a file. */
  constructor(paths: readonly string[]) {
    this.#files = paths.flatMap((path) => fileAt(path) ?? [])
  }

  /** The first path that does not lead to its file any more. */
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
