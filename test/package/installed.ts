import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ended } from '#test/cli/support/process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The folders of PATH without those that npm adds for its scripts: as in the shell of a user. */
const userPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes(`${sep}node_modules${sep}`))
  .join(delimiter)

/** Told once, when a text stands in the output for the first time. */
type Watch = { text: string; seen: () => void }

/** A registry that does not answer ends the check instead of holding it. */
const msMax = 300_000

/** Runs a command to its end in a folder, without a terminal, and without the variables of the npm script that runs us. */
export function runIn(
  folder: string,
  command: string,
  words: readonly string[],
  watch?: Watch,
): Promise<Ended> {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:npm_|RUNGS_|NODE_)/i.test(name))
  const env = { ...Object.fromEntries(own), PATH: userPath }
  return new Promise((resolve) => {
    const child = execFile(command, words, { cwd: folder, env, timeout: msMax }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, stdout, stderr })
    })
    child.stdin?.end()
    if (watch === undefined) return
    const read = (chunk: string) => {
      if (!chunk.includes(watch.text)) return
      child.stdout?.off('data', read)
      watch.seen()
    }
    child.stdout?.on('data', read)
  })
}

async function done(folder: string, command: string, words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runIn(folder, command, words)
  if (code !== 0) throw new Error(`${command} ${words.join(' ')} ended with ${code}\n${stdout}${stderr}`)
  return stdout
}

const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']

/** The tarball that `npm pack` writes into a folder, and the files in it. */
export async function pack(folder: string): Promise<{ tarball: string; files: string[] }> {
  // The scripts that npm calls print to the same stream.
  const said = await done(root, 'npm', ['pack', '--json', '--loglevel=error', '--pack-destination', folder])
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  const files = [...said.matchAll(/"path": "([^"]+)"/g)].map(([, path = '']) => path)
  return { tarball: join(folder, tarball), files }
}

/** How one calls the program from a folder, and which Node its command finds. */
export type Installed = {
  folder: string
  rungs: (words: readonly string[], watch?: Watch) => Promise<Ended>
  node: string
}

/** A dependency of a project; its command is called by npx, which finds the Node that the package brings. */
export async function installInProject(folder: string, tarball: string): Promise<Installed> {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }\n')
  await timed('npm i', done(folder, 'npm', ['install', ...quiet, tarball]))
  const node = join(folder, 'node_modules/.bin/node')
  return { folder, rungs: (words, watch) => runIn(folder, 'npx', ['rungs', ...words], watch), node }
}

/** A command of the machine; it finds the Node that is installed there. */
export async function installGlobally(folder: string, tarball: string): Promise<Installed> {
  mkdirSync(folder)
  const prefix = join(folder, 'prefix')
  await timed('npm i -g', done(folder, 'npm', ['install', '--global', '--prefix', prefix, ...quiet, tarball]))
  return {
    folder,
    rungs: (words, watch) => runIn(folder, join(prefix, 'bin/rungs'), words, watch),
    node: 'node',
  }
}

export async function versionOf({ folder, node }: Installed): Promise<string> {
  return (await done(folder, node, ['--version'])).trim()
}

/** For the log of the check: these times depend on the machine, so nothing is expected of them. */
async function timed<Value>(what: string, work: Promise<Value>): Promise<Value> {
  const from = performance.now()
  const value = await work
  tellSeconds(what, performance.now() - from)
  return value
}

export function tellSeconds(what: string, ms: number): void {
  process.stdout.write(`${what}: ${(ms / 1000).toFixed(1)} s\n`)
}
