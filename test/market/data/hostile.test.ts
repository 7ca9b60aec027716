import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { environment, temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const program = fileURLToPath(new URL('memory-process.ts', import.meta.url))

/** The whole program and the largest window that a file may require, with room to spare. */
const mebibytesMost = 450

const begin = 'timestamp,price\n1700000000000,1\n'
// All in one line; concatenated compressed files are one file.
const part = Buffer.alloc(64 * 2 ** 20, 'x')
const parts = (packed: Buffer) => Array.from({ length: 12 }, () => packed)
const zstd = parts(zstdCompressSync(part, { params: { [constants.ZSTD_c_windowLog]: 27 } }))
const files = {
  'prices.csv.zst': Buffer.concat([zstdCompressSync(begin), ...zstd]),
  'prices.csv.gz': Buffer.concat([gzipSync(begin), ...parts(gzipSync(part, { level: 1 }))]),
  'tape.zst': Buffer.concat([zstdCompressSync('{"kind":"tape"'), ...zstd]),
}
for (const [name, bytes] of Object.entries(files)) writeFileSync(folder.file(name), bytes)

test.each([
  ['market', 'prices.csv.zst', /^MARKET_INVALID: .*:3 is longer than 4096 characters/],
  ['market', 'prices.csv.gz', /^MARKET_INVALID: .*:3 is longer than 4096 characters/],
  ['market', 'tape.zst', /^MARKET_INVALID: .*:1 holds a row of more than 4096 characters/],
  ['verify', 'tape.zst', /^TAPE_INVALID: .* has more than 64 MiB when decompressed/],
])('rungs %s refuses %s, which expands to 768 MiB, in little memory', (command, name, complaint) => {
  const { stderr, stdout } = spawnSync(process.execPath, [program, command, folder.file(name)], {
    env: environment({}),
    encoding: 'utf8',
  })
  expect(stderr).toMatch(complaint)
  expect(Number(stdout)).toBeLessThan(mebibytesMost)
})
