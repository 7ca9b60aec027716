import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The key of our own client for the account `paper`, while a foreign program trades with `paper-key`: both draw nonces from the
 * same clock, so with one key for both a nonce of one could be used already.
 */
export const secondKey = { key: 'paper-second-key', secret: 'paper-secret-2' }

/** Writes the packaged world with this key to a folder, and returns the path of the file. */
export function worldWithSecondKey(folder: string): string {
  const text = readFileSync('config/exchange.yaml', 'utf8')
  const first = /^( *- \{ )key: paper-key, secret: paper-secret(.*)$/m
  const { key, secret } = secondKey
  const changed = text.replace(first, `$&\n$1key: ${key}, secret: ${secret}$2`)
  if (changed === text) throw new Error('config/exchange.yaml has no key paper-key')
  const file = join(folder, 'world.yaml')
  writeFileSync(file, changed)
  return file
}
