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

/** The binary of Node of another major version than the one that the package brings; npm has it for Linux. */
export const otherNode = () => join(dirname(fetched(`node-linux-${process.arch}`, '24.21.0')), 'bin/node')

function peer(name: string, version: string) {
  return createRequire(fetched(name, version))(name)
}

/** What we are compared with is no dependency: it is fetched once into the temporary folder of this machine. */
function fetched(name: string, version: string): string {
  const folder = join(tmpdir(), `rungs-${name}-${version}`)
  const installed = join(folder, 'node_modules', name, 'package.json')
  if (!existsSync(installed)) install(`${name}@${version}`, folder, installed)
  return installed
}

/** Several test files ask at the same time, so each installs into a folder of its own, and the first one is kept. */
function install(wanted: string, folder: string, installed: string) {
  process.stdout.write(`Installing ${wanted} into ${folder}\n`)
  const own = mkdtempSync(`${folder}-`)
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  equal(
    spawnSync('npm', ['install', '--prefix', own, ...flags, wanted], { stdio: 'inherit' }).status,
    0,
    `npm could not install ${wanted}`,
  )
  try {
    renameSync(own, folder)
  } catch (error) {
    rmSync(own, { recursive: true, force: true })
    if (!existsSync(installed)) throw error
  }
}
