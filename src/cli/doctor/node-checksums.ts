import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { BotError } from '#src/core/errors/bot-error.ts'
import { bad, good, type Finding } from './doctor-checks.ts'
import { bytesOf } from '#src/cli/files/named-file.ts'

/** A Node executable on this disk. */
type Program = { path: string; version: string; platform: string; arch: string }

const blockBytes = 512
const about = 'node checksum'
const reinstall = 'Delete node_modules and run npm ci, or install Node from nodejs.org'

/**
 * Compares a Node executable with a list of checksums. The list of the Node project (SHASUMS256.txt) has executables for Windows
 * only, and archives for all other systems. So the archive must be in the folder of the list: it is compared with the list, and
 * the executable with the one in the archive.
 */
export function checksumFinding(
  listPath: string,
  node: Program = { ...process, path: process.execPath },
): Finding {
  const { path, version, platform, arch } = node
  const entries = entriesOf(listPath)
  const isWindows = platform === 'win32'
  const alone = entries.filter(({ name }) =>
    isWindows ? name === `win-${arch}/node.exe` : basename(name) === 'node',
  )
  const ours = sha256(bytesOf(path))
  const same = good(
    about,
    `${path} is Node ${version} as ${listPath} lists it`,
    'this Node is the one of the list; gpg --verify shows who made the list',
  )
  const changed = bad(about, `${path} is not the Node of ${listPath}`, 'another program runs', reinstall)
  if (alone.length > 0) return alone.some(({ sum }) => sum === ours) ? same : changed
  const archive = `node-${version}-${platform}-${arch}.tar.gz`
  const listed = entries.find(({ name }) => name === archive)
  const nothing = 'this Node was not compared'
  if (listed === undefined) {
    const fix = `Name the SHASUMS256.txt of Node ${version}`
    return bad(about, `${listPath} lists neither ${archive} nor the program itself`, nothing, fix)
  }
  const beside = join(dirname(listPath), archive)
  if (!existsSync(beside)) {
    const fix = `Download ${archive} of Node ${version} into the same folder`
    return bad(about, `${listPath} lists ${archive}, which is not beside it`, nothing, fix)
  }
  const packed = bytesOf(beside)
  if (sha256(packed) !== listed.sum) {
    return bad(about, `${beside} is not the archive of ${listPath}`, nothing, `Download ${archive} again`)
  }
  const program = fileInTar(gunzipSync(packed), `${archive.slice(0, -'.tar.gz'.length)}/bin/node`)
  return program !== undefined && sha256(program) === ours ? same : changed
}

function entriesOf(path: string): { sum: string; name: string }[] {
  const lines = bytesOf(path)
    .toString()
    .matchAll(/^([0-9a-f]{64}) [ *](\S.*?)\r?$/gm)
  const entries = [...lines].map(([, sum = '', name = '']) => ({ sum, name }))
  if (entries.length > 0) return entries
  throw new BotError('FILE_INVALID', {
    seen: `${path} has no line of a checksum and a name`,
    fix: 'Name the SHASUMS256.txt of your Node from nodejs.org/dist, or an output of sha256sum',
  })
}

/** The content of a file in a tar archive: headers of 512 bytes, each with name and length, and the content after it. */
function fileInTar(tar: Buffer, wanted: string): Buffer | undefined {
  for (let at = 0; at + blockBytes <= tar.length;) {
    const text = (from: number, length: number) =>
      tar.toString('latin1', at + from, at + from + length).split('\0')[0] ?? ''
    const bytes = Number.parseInt(text(124, 12), 8) || 0
    if (text(0, 100) === wanted) return tar.subarray(at + blockBytes, at + blockBytes + bytes)
    at += blockBytes + Math.ceil(bytes / blockBytes) * blockBytes
  }
  return undefined
}

function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes)
}
