import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { searchFor } from './canary.ts'
import { fixtureSecrets, noSecretIn } from './leak-watch.ts'

const secret = 'canary+of/the"se\\cret%~41'
const search = searchFor(['another-canary', secret])

test.each<[string, (text: string) => string]>([
  ['raw', (text) => text],
  ['as base64 at the first of three places', (text) => Buffer.from(text).toString('base64')],
  ['as base64 at the second', (text) => Buffer.from(`a${text}b`).toString('base64')],
  ['as base64 at the third', (text) => Buffer.from(`ab${text}c`).toString('base64')],
  ['as base64 of addresses', (text) => Buffer.from(`?${text}?`).toString('base64url')],
  ['as hex', (text) => Buffer.from(text).toString('hex')],
  ['as hex in capitals', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ['percent-encoded where that is needed', encodeURIComponent],
  ['percent-encoded everywhere', (text) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')],
  ['as JSON', (text) => JSON.stringify({ text })],
  ['as JSON in JSON', (text) => JSON.stringify({ body: JSON.stringify({ text }) })],
  ['in a packed tape', (text) => zstdCompressSync(text).toString('latin1')],
])('a canary is found %s', (_, write) => {
  const bytes = (text: string) => Buffer.from(write(text), 'latin1')
  expect(search(bytes(`before ${secret} after`))).toEqual([secret])
  expect(search(bytes(secret))).toEqual([secret])
  expect(search(bytes(`before ${secret.slice(1)} after`))).toEqual([])
})

test('a folder that a test removes is searched, and what is found is told by file and secret', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rungs-watched-'))
  mkdirSync(join(folder, 'state/logs'), { recursive: true })
  const log = join(folder, 'state/logs/rungs-2026-11-23-0000.ndjson')
  writeFileSync(log, `{"body":"${Buffer.from('{"a":"paper-secret"}').toString('base64')}"}\n`)
  // An input: it is there that the secret belongs.
  writeFileSync(join(folder, 'venue.yaml'), 'secret: paper-secret\n')
  expect(() => rmSync(folder, { recursive: true })).toThrow(`${log} contains the secret paper-secret`)
  expect(() => rmSync(folder, { recursive: true })).toThrow('ENOENT')
})

test('the output of a process is searched, for every secret that tests trade with', () => {
  expect(fixtureSecrets).toEqual(expect.arrayContaining(['paper-secret', 'trading-secret', 'reader-secret']))
  for (const each of fixtureSecrets)
    expect(() => noSecretIn(`signed with ${each}`, 'stderr')).toThrow(`stderr contains the secret ${each}`)
  expect(noSecretIn('all is well', 'stderr')).toBe('all is well')
})
