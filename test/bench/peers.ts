import { equal } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A package to be compared with. It is no dependency: it is fetched once into the temporary folder of this machine. */
export function peer(name: string, version: string) {
  const folder = join(tmpdir(), 'rungs-bench-peers')
  if (!existsSync(join(folder, 'node_modules', name))) {
    process.stdout.write(`Installing ${name} into ${folder}, for this comparison alone\n`)
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
    const { status } = spawnSync('npm', ['install', '--prefix', folder, ...flags, `${name}@${version}`], {
      stdio: 'inherit',
    })
    equal(status, 0, `npm could not install ${name}`)
  }
  return createRequire(join(folder, 'package.json'))(name)
}
