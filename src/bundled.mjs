import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

/** The one file in it is the program with a few commands. `npm run build` writes it, and names it after its content. */
const folder = new URL('../dist/cli/bundle/', import.meta.url)

/** The command of the bundle that runs these words, `undefined` if they need the whole program. */
export function bundled(words) {
  const [first, ...others] = words
  const named = words.slice(0, -1).every((word) => !word.startsWith('-') && word !== 'api')
  if (first === 'help' || (named && [undefined, '--help', '-h'].includes(words.at(-1)))) return 'help'
  if (first === 'completion') return first
  return first === 'check' && !others.some((word) => word.startsWith('--venue')) ? first : undefined
}

/**
 * Runs the bundle as a script, because its cache also has the functions that V8 compiled while the command ran. The cache of
 * Node for modules has none of them. Each command has a cache of its own in the folder.
 */
export function runBundle(command, caches) {
  const name = readdirSync(folder)[0]
  const file = fileURLToPath(new URL(name, folder))
  const cache = `${caches}/${name}-${command}-${process.version}`
  const wrapped = `(function (require, exports, __filename) {${readFileSync(file, 'utf8')}\n})`
  const script = new Script(wrapped, { filename: file, cachedData: contentOf(cache) })
  process.on('exit', (code) => {
    if (code === 0 && script.cachedDataRejected !== false) keep(cache, script.createCachedData())
  })
  // Node 20 has no such class; the report of an error compares with it.
  globalThis.SuppressedError ??= class SuppressedError extends Error {}
  script.runInThisContext()(createRequire(file), {}, file)
}

function contentOf(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** Replaces the whole file at once, since another process may read it. Without the right to write, there is no cache. */
function keep(path, content) {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.${process.pid}`, content, { mode: 0o600 })
    renameSync(`${path}.${process.pid}`, path)
  } catch {}
}
