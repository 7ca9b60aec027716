import { equal } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const version = '4.5.84'

/**
 * The well-known library that others reach venues of this family with. It is no dependency, being larger than all of
 * them: it is fetched once into the temporary folder of this machine.
 */
export function ccxt() {
  const folder = join(tmpdir(), `rungs-ccxt-${version}`)
  const installed = join(folder, 'node_modules', 'ccxt', 'package.json')
  if (!existsSync(installed)) {
    process.stdout.write(`Installing ccxt into ${folder}\n`)
    const npm = [
      'install',
      '--prefix',
      folder,
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      `ccxt@${version}`,
    ]
    const { status } = spawnSync('npm', npm, { stdio: 'inherit' })
    equal(status, 0, 'npm could not install ccxt')
  }
  return createRequire(installed)('ccxt')
}
