import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { checksumFinding } from '#src/cli/doctor/node-checksums.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const program = Buffer.from('a program, as the Node project built it')
const linux = { path: folder.file('node'), version: 'v26.10.0', platform: 'linux', arch: 'x64' }
const name = 'node-v26.10.0-linux-x64'
const list = folder.file('SHASUMS256.txt')
const sumOf = (bytes: string | Uint8Array) => hash('sha256', bytes)

beforeEach(() => writeFileSync(linux.path, program))

/** A file in an archive. */
function tarred(path: string, content: Uint8Array): Buffer {
  const header = Buffer.alloc(512)
  header.write(path)
  header.write(content.length.toString(8).padStart(11, '0'), 124)
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)])
}

const archive = gzipSync(
  Buffer.concat([
    tarred(`${name}/README.md`, Buffer.from('x'.repeat(700))),
    tarred(`${name}/bin/node`, program),
    Buffer.alloc(1024),
  ]),
)

describe('a checksum list with archives only, like that of Node for Linux', () => {
  beforeEach(() => {
    writeFileSync(
      list,
      `${sumOf('other')}  node-v26.10.0-linux-x64.tar.xz\n${sumOf(archive)}  ${name}.tar.gz\n${sumOf('exe')}  win-x64/node.exe\n`,
    )
    writeFileSync(folder.file(`${name}.tar.gz`), archive)
  })

  test('confirms the program of an archive beside it', () => {
    expect(checksumFinding(list, linux)).toMatchObject({
      verdict: 'good',
      found: expect.stringContaining(`${linux.path} is Node v26.10.0`),
    })
  })

  test('reports a program with one changed byte', () => {
    writeFileSync(linux.path, Buffer.from(program).fill('A', 3, 4))
    expect(checksumFinding(list, linux)).toMatchObject({
      verdict: 'bad',
      do: expect.stringContaining('npm ci'),
    })
  })

  test('rejects an archive with another checksum', () => {
    writeFileSync(folder.file(`${name}.tar.gz`), gzipSync(tarred(`${name}/bin/node`, Buffer.from('evil'))))
    writeFileSync(linux.path, 'evil')
    expect(checksumFinding(list, linux)).toMatchObject({
      verdict: 'bad',
      found: `${folder.file(`${name}.tar.gz`)} is not the archive of ${list}`,
    })
  })

  test('names a missing archive, and confirms nothing', () => {
    writeFileSync(list, `${sumOf(archive)}  node-v26.10.0-linux-arm64.tar.gz\n`)
    expect(checksumFinding(list, { ...linux, arch: 'arm64' })).toMatchObject({
      verdict: 'bad',
      means: 'this Node was not compared',
      do: 'Download node-v26.10.0-linux-arm64.tar.gz of Node v26.10.0 into the same folder',
    })
  })

  test('compares nothing for another version', () => {
    expect(checksumFinding(list, { ...linux, version: 'v26.9.0' })).toMatchObject({
      verdict: 'bad',
      found: `${list} lists neither node-v26.9.0-linux-x64.tar.gz nor the program itself`,
    })
  })
})

test('a list with the program itself needs no archive', () => {
  writeFileSync(list, `${sumOf(program)} *win-x64/node.exe\r\n`)
  expect(checksumFinding(list, { ...linux, platform: 'win32' }).verdict).toBe('good')
  expect(checksumFinding(list, { ...linux, platform: 'win32', arch: 'arm64' }).verdict).toBe('bad')
  writeFileSync(list, `${sumOf('other')}  /usr/local/bin/node\n`)
  expect(checksumFinding(list, linux).verdict).toBe('bad')
})

test('rungs doctor checks the running Node, and exits with 2 on a difference', async () => {
  // A wrong checksum is enough to see what is compared, and saves computing the real one.
  writeFileSync(list, `${sumOf('another program')}  bin/node\n`)
  const state = folder.file('state')
  const words = ['doctor', '--node-checksums', list, '--state-dir', state, '--json']
  const { code, stdout } = await rungsHere(words, { RUNGS_URL: 'http://127.0.0.1:9' })
  expect(code).toBe(2)
  expect(JSON.parse(stdout).findings).toContainEqual(
    expect.objectContaining({
      about: 'node checksum',
      verdict: 'bad',
      found: `${process.execPath} is not the Node of ${list}`,
    }),
  )
  writeFileSync(list, 'no checksums at all\n')
  expect(await rungsHere(words)).toMatchObject({
    code: 78,
    stderr: expect.stringMatching(/^FILE_INVALID: .*\nfix: /),
  })
})
