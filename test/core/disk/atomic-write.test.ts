import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { nonceFile } from '#src/venues/whitebit/client/calls/nonce-file.ts'
import { systemDisk, writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { environment, temporaryFolder } from '#test/cli/support/process.ts'
import { PowerCutDisk } from './power-cut.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const writer = fileURLToPath(new URL('writing-process.ts', import.meta.url))

/**
 * Runs a process with a file size limit in kilobytes: the write that crosses the limit is partial, and the next one
 * fails, as on a full disk. This needs no rights and no mount.
 */
function writeWithin(kilobytes: number, ...words: string[]) {
  const limited = `trap '' XFSZ; ulimit -f ${kilobytes}; exec "$0" "$@"`
  return spawnSync('bash', ['-c', limited, process.execPath, writer, ...words], {
    env: environment({}),
    encoding: 'utf8',
  })
}

test('on a full disk the nonce file keeps its content, and the error says that there is no space', () => {
  const path = folder.file('nonce')
  nonceFile(path).save({ ceiling: 1, recent: [], monotonicMs: 0 })
  const { status, stderr } = writeWithin(1, 'nonces', path, '2000')
  expect(stderr).toMatch(/^DATA_BROKEN: .*nonce cannot be written \(EFBIG, /)
  expect(status).toBe(1)
  expect(nonceFile(path).load()).toEqual({ ceiling: 1, recent: [], monotonicMs: 0 })
  expect(readdirSync(folder.path)).toEqual(['nonce'])
})

test('a full disk makes a file of the dashboard fail with an error that lets a service restart the bot, not as a bug', () => {
  const kept = folder.file('kept')
  mkdirSync(kept)
  const { status, stderr } = writeWithin(1, 'names', kept, '2000')
  expect(stderr).toMatch(/^DATA_BROKEN: .*names cannot be written \(EFBIG, /)
  expect(stderr).not.toMatch(/bug/)
  expect(status).toBe(1)
  expect(readdirSync(kept)).toEqual([])
})

test('a lock without disk space is not reported as another process, and a service restarts the bot', () => {
  const held = folder.file('held')
  mkdirSync(held)
  const { status, stderr } = writeWithin(0, 'journal', held)
  expect(stderr).toMatch(/^DATA_BROKEN: .*journal.sqlite: (?:disk I\/O error|database or disk is full)/)
  expect(status).toBe(1)
  writeFileSync(`${held}/journal.lock`, 'no database'.repeat(500))
  expect(writeWithin(100, 'journal', held).stderr).not.toMatch(/BUSY/)
})

test('a partially written log line counts as lost, even if nothing is written after it', () => {
  const lines = () => {
    const [file = ''] = readdirSync(folder.file('log/logs'))
    return readFileSync(folder.file(`log/logs/${file}`), 'utf8').split('\n')
  }
  // A line has fewer than 128 bytes and the file has room for 1024: eight lines fit, and the first that does not fit is
  // written partially.
  let written = 8
  while (writeWithin(1, 'log', folder.file('log'), String(written)).stdout === '') {
    expect(lines()).toHaveLength(written + 1)
    expect((written += 1)).toBeLessThan(20)
    rmSync(folder.file('log'), { recursive: true })
  }
  expect(lines().at(-1)).not.toBe('')
  expect(lines()).toHaveLength(written)
})

test('after a power cut at any call of a save, the nonce file holds the old content or the new one', () => {
  const texts = [1, 2].map((ceiling) => JSON.stringify({ ceiling, recent: null }))
  // A save makes these disk calls: open, write, fsync, rename, and fsync of the folder.
  const calls = 5
  for (let made = 0; made <= calls; made++) {
    const disk = new PowerCutDisk()
    const file = nonceFile('/state/nonce', disk)
    file.save({ ceiling: 1, recent: null })
    expect(disk.readAfterPowerCut('/state/nonce')).toEqual([texts[0], texts[0]])
    disk.limit({ calls: made })
    const save = () => file.save({ ceiling: 2, recent: null })
    if (made < calls) expect(save).toThrow(/cannot be written/)
    else save()
    for (const text of disk.readAfterPowerCut('/state/nonce')) expect(texts).toContain(text)
    if (made === calls) expect(disk.readAfterPowerCut('/state/nonce')).toEqual([texts[1], texts[1]])
  }
})

test('a partial write is completed, and if that fails, no part of it remains', () => {
  for (let room = 0; room < 12; room++) {
    const disk = new PowerCutDisk()
    writeWholeFile('/f/a', 'old', { disk })
    disk.limit({ room })
    expect(() => writeWholeFile('/f/a', 'twelve bytes', { disk })).toThrow('ENOSPC')
    expect([disk.read('/f/a'), disk.names]).toEqual(['old', ['/f/a']])
  }
  const slow = {
    ...systemDisk,
    write: (file: number, bytes: Uint8Array, start: number) =>
      systemDisk.write(file, bytes.subarray(0, start + 1), start),
  }
  writeWholeFile(folder.file('slow'), 'byte by byte', { disk: slow })
  expect(readFileSync(folder.file('slow'), 'utf8')).toBe('byte by byte')
})

test('a link is replaced, not followed, and a path that is not a file stays unchanged', () => {
  writeFileSync(folder.file('target'), 'not ours')
  symlinkSync(folder.file('target'), folder.file('link'))
  writeWholeFile(folder.file('link'), 'ours')
  expect(readFileSync(folder.file('link'), 'utf8')).toBe('ours')
  expect(readFileSync(folder.file('target'), 'utf8')).toBe('not ours')
  expect(statSync(folder.file('link')).mode & 0o777).toBe(0o600)
  spawnSync('bash', ['-c', 'mkfifo "$0"', folder.file('pipe')])
  expect(() => writeWholeFile(folder.file('pipe'), 'ours')).toThrow('is not a file')
  expect(statSync(folder.file('pipe')).isFIFO()).toBe(true)
  expect(existsSync(`${folder.file('pipe')}.${process.pid}.new`)).toBe(false)
})
