import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Only of a process that runs, or made anew by it. */
const leftOut = /\.(?:lock|pid|sqlite-shm)$|^logs\/|^control\.json$|^port$|^token$/

/** All files of a folder as one packed file. */
export function packFolder(folder: string, file: string): void {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(folder.length + 1))
    .filter((path) => !leftOut.test(path))
    .sort()
  const bytes = serialize(new Map(paths.map((path) => [path, readFileSync(join(folder, path))])))
  writeFileSync(file, zstdCompressSync(bytes))
}

export function unpackFolder(file: string, folder: string): void {
  // It was written by the function above.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const files = deserialize(zstdDecompressSync(readFileSync(file))) as Map<string, Uint8Array>
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, path), bytes, { mode: 0o600 })
  }
}
