import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nonceFile } from '#src/venues/whitebit/client/calls/nonce-file.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

type Call = { call: 'fsync' | 'rename'; of: number }

/** The calls that make a file durable, each with the inode of its file. All of them run on the real disk. */
function callsOf(act: () => void): Call[] {
  const { fsyncSync, renameSync } = fs
  const calls: Call[] = []
  fs.fsyncSync = (file) => {
    fsyncSync(file)
    calls.push({ call: 'fsync', of: fs.fstatSync(file).ino })
  }
  fs.renameSync = (from, to) => {
    calls.push({ call: 'rename', of: fs.statSync(from).ino })
    renameSync(from, to)
  }
  syncBuiltinESMExports()
  try {
    act()
  } finally {
    Object.assign(fs, { fsyncSync, renameSync })
    syncBuiltinESMExports()
  }
  return calls
}

test.skipIf(process.platform === 'win32')(
  'the nonce file is durable before its rename, and its name before a nonce is used',
  () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'nonce')
    const memory = nonceFile(path)
    memory.save({ ceiling: 1, recent: null })
    const calls = callsOf(() => memory.save({ ceiling: 2, recent: null }))
    const [file, names] = [fs.statSync(path).ino, fs.statSync(folder.path).ino]
    expect(calls).toEqual([
      { call: 'fsync', of: file },
      { call: 'rename', of: file },
      { call: 'fsync', of: names },
    ])
    expect(memory.load()).toEqual({ ceiling: 2, recent: null })
  },
)
