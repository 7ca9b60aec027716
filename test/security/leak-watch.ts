import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { searchFor } from './canary.ts'

/**
 * Watches all tests: before a test removes a folder of its own, every file there that the program has written is
 * searched for the secrets with which the tests trade, and so is what its processes print (`noSecretIn`). Not searched are
 * inputs (settings, key files) and the data of an exchange, which must know the secrets of its accounts.
 */
const worlds = [
  'config/exchange.yaml',
  'config/paper.yaml',
  'test/support/world.ts',
  'src/research/backtest/world.ts',
]
const text = worlds
  .map((path) => fs.readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
  .join('\n')
const named = text.matchAll(/\bsecret: '?([\w-]{8,})/g)
export const fixtureSecrets: readonly string[] = [
  ...new Set([...named.map(([, secret = '']) => secret), 'hook-secret', 'some-secret', 'another-secret']),
]
const search = searchFor(fixtureSecrets)

/** Log, journal, tape, nonces, names, reports. */
const written =
  /^(?:rungs-.*\.ndjson|journal.*|.*\.tape(?:\.partial|\.packing)?|nonce-.*\.json|names|port|.*\.html)$/

/** The text as it is, if it holds no secret. */
export function noSecretIn(text: string, where: string): string {
  const [secret] = search(Buffer.from(text))
  if (secret !== undefined) throw new Error(`${where} contains the secret ${secret}`)
  return text
}

function leaksBelow(folder: string): string[] {
  const entries = fs.readdirSync(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() && written.test(entry.name))
    .flatMap(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return search(fs.readFileSync(path)).map((secret) => `${path} contains the secret ${secret}`)
    })
}

const { rmSync } = fs
const watched = Symbol.for('rungs: folders are searched before they are removed')
if (!Reflect.has(fs, watched)) {
  Object.assign(fs, {
    [watched]: true,
    rmSync: (path: string, options?: fs.RmOptions) => {
      const isOurs = options?.recursive === true && resolve(path).startsWith(join(tmpdir(), 'rungs-'))
      const isCache = basename(path).includes('cache')
      const leaks = isOurs && !isCache && fs.existsSync(path) ? leaksBelow(path) : []
      rmSync(path, options)
      if (leaks.length > 0) throw new Error(leaks.join('\n'))
    },
  })
  syncBuiltinESMExports()
}
