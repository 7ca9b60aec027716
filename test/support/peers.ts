import { equal } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The well-known library that others reach venues of this family with. */
export const ccxt = () => peer('ccxt', '4.5.84')
/** An order book that others would take from the registry. */
export const orderBook = () => peer('nodejs-order-book', '10.1.1')

/** What we are compared with is no dependency: it is fetched once into the temporary folder of this machine. */
function peer(name: string, version: string) {
  const folder = join(tmpdir(), `rungs-${name}-${version}`)
  const installed = join(folder, 'node_modules', name, 'package.json')
  if (!existsSync(installed)) {
    process.stdout.write(`Installing ${name} into ${folder}\n`)
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
    const words = ['install', '--prefix', folder, ...flags, `${name}@${version}`]
    equal(spawnSync('npm', words, { stdio: 'inherit' }).status, 0, `npm could not install ${name}`)
  }
  return createRequire(installed)(name)
}
