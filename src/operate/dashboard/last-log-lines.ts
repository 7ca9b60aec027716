import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { jsonIn } from '#src/core/objects/json.ts'
import { isRecord } from '#src/core/objects/objects.ts'
import { logFiles, logFolder } from '#src/operate/logs/log-files.ts'

/** Some thousand lines. */
const bytesMax = 512 * 1024

/** The last log lines of all processes of a folder, the oldest first. Truncated lines are left out. */
export function lastLines(stateDir: string): string[] {
  const folder = logFolder(stateDir)
  const parts: string[] = []
  let room = bytesMax
  for (const name of logFiles(folder).reverse()) {
    const text = endOf(join(folder, name), room)
    parts.unshift(text)
    room -= text.length
    if (room <= 0) break
  }
  return parts.join('\n').split('\n').filter(isLine)
}

function endOf(path: string, most: number): string {
  const handle = openSync(path, 'r')
  try {
    const { size } = fstatSync(handle)
    const bytes = Buffer.alloc(Math.min(size, most))
    const read = readSync(handle, bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString('utf8', 0, read)
  } finally {
    closeSync(handle)
  }
}

/** A line is cut if its process was killed, or if it begins before the bytes that were read. */
function isLine(text: string): boolean {
  const line = jsonIn(text)
  return isRecord(line) && 'type' in line
}
