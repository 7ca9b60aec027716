import { equal } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The well-known library that others reach venues of this family with. */
export const ccxt = () => peer('ccxt', '4.5.84')
/** An order book that others would take from the registry. */
export const orderBook = () => peer('nodejs-order-book', '10.1.1')
/** A checker that searches for texts on which a regular expression takes more than linear time. */
export const regularExpressionChecker = () => peer('recheck', '4.5.0')

/** Generators of clients from an OpenAPI document, and what the client of the second one sends with. */
export const openApiTypescript = () => dirname(fetched('openapi-typescript', '7.13.0'))
export const openApiFetch = () => dirname(fetched('openapi-fetch', '0.17.0'))
export const openApiPythonClient = () => python('openapi-python-client', '0.29.1')
/** The vendor's own client. */
export const vendorSdk = () => python('whitebit-python-sdk', '1.1.17')
/** A trading bot that reaches venues of this family with ccxt, and one that also follows their streams. */
export const freqtrade = () => python('freqtrade', '2026.9')
export const gridBot = () => python('grid-trading-bot', '0.2.0', 12)

/** The library of indicators that charting programs and other bots use. */
export const taLib = () => python('TA-Lib', '0.8.2', 11, ['numpy==2.2.6'])
/** Statistical functions that are known to be right. */
export const scientificPython = () => python('scipy', '1.17.1')

/** Backtesters of others, and the compiler of the least loop that finds the same fills. */
export const nautilusTrader = () => python('nautilus_trader', '1.221.0')
export const hftBacktest = () => python('hftbacktest', '2.4.4', 11, ['numba==0.68.1', 'numpy==2.2.6'])
export const backtrader = () => python('backtrader', '1.9.78.123', 11, ['numpy==2.2.6'])
export const numba = () => python('numba', '0.68.1', 11, ['numpy==2.2.6'])

/** The part of the service that our test uses. */
type TelegramServer = new (about: object) => {
  start(): Promise<void>
  stop(): Promise<unknown>
  getClient(
    token: string,
    about: object,
  ): {
    makeMessage(text: string): object
    sendMessage(message: object): Promise<unknown>
    getUpdates(): Promise<unknown>
  }
}

export const telegramServer = (): TelegramServer => peer('telegram-test-api', '4.2.1')

/** The binary of Node of another major version than the one that the package brings; npm has it for Linux. */
export const otherNode = () => join(dirname(fetched(`node-linux-${process.arch}`, '24.21.0')), 'bin/node')

function peer(name: string, version: string) {
  return createRequire(fetched(name, version))(name)
}

/** What we are compared with is no dependency: it is fetched once into the temporary folder of this machine. */
function fetched(name: string, version: string): string {
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  const folder = installed(name, version, (own) => [
    ['npm', 'install', '--prefix', own, ...flags, `${name}@${version}`],
  ])
  return join(folder, 'node_modules', name, 'package.json')
}

const interpreters = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11']

/** An interpreter that packages of others need, of version 3.`minor` or later. */
export function pythonOf(minor = 11): string | undefined {
  const asked = `import sys; sys.exit(sys.version_info < (3, ${minor}))`
  return interpreters.find((name) => spawnSync(name, ['-c', asked]).status === 0)
}

/** The interpreter of an environment with a package: `-m` names the module, as the folder of the scripts has changed. */
function python(name: string, version: string, minor?: number, others: readonly string[] = []): string {
  const folder = installed(name, version, (own) => [
    [pythonOf(minor) ?? 'python3', '-m', 'venv', own],
    [join(own, 'bin/python'), '-m', 'pip', 'install', '--quiet', `${name}==${version}`, ...others],
  ])
  return join(folder, 'bin/python')
}

/** Several test files ask at the same time, so each installs into a folder of its own, and the first one is kept. */
function installed(name: string, version: string, commands: (own: string) => string[][]): string {
  const folder = join(tmpdir(), `rungs-${name}-${version}`)
  if (existsSync(folder)) return folder
  // The standard output of a benchmark becomes its figures.
  process.stderr.write(`Installing ${name} ${version} into ${folder}\n`)
  const own = mkdtempSync(`${folder}-`)
  for (const [command = '', ...words] of commands(own)) {
    const { status } = spawnSync(command, words, { stdio: ['ignore', 2, 2] })
    if (status !== 0) rmSync(own, { recursive: true, force: true })
    equal(status, 0, `${command} could not install ${name} ${version}`)
  }
  try {
    renameSync(own, folder)
  } catch (error) {
    rmSync(own, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}
