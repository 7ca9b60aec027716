import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Flags of `rungs run` that take a value. */
const valueFlags = new Set([
  'venue',
  'for',
  'speed',
  'faults',
  'alerts',
  'record',
  'signals',
  'port',
  'state-dir',
  'found-orders',
  'fleet',
  'lease',
  'on-lost-lease',
  'on-exit',
])
const settingsBytesMax = 128 * 1024

/**
 * How `rungs run` starts, so that Node lets it read its code and the files that the operator has named, write to its state
 * folder and its tape, use the network, and start no program. `words` are the words behind `run`, and `major` is the version
 * of the Node that will run, which may be another one than this.
 */
export async function confined(words, environment, major) {
  const { files, named } = readWords(words)
  const stateDir = resolve(named['state-dir'] ?? environment.RUNGS_STATE_DIR ?? '.rungs')
  makeFolder(stateDir, files)
  // In the state folder, since this process may write nowhere else. Node would make that folder readable for others.
  const cache = environment.NODE_COMPILE_CACHE ?? (isFolder(stateDir) ? join(stateDir, 'cache') : undefined)
  const tape = named.record
  const settings = await Promise.all([named.venue, named.alerts].filter(Boolean).map(filesNamedIn))
  const read = [
    ...codeFolders(),
    ...files,
    ...files.flatMap(yamlBeside),
    ...settings.flat(),
    ...[named.signals, environment.RUNGS_SIGNAL_TOKEN_FILE].filter(Boolean),
    ...[environment.RUNGS_KEY_FILE, environment.RUNGS_SECRET_FILE].filter(Boolean),
    // Where another granted path begins with its name, Node 26 takes the grant of a folder for one of its content alone.
    `${stateDir}*`,
    // Whether the process is in the foreground of its terminal, and whether npm, which started it, still runs.
    ...['self/stat', `${process.pid}/status`, `${process.ppid}/status`].map((name) => `/proc/${name}`),
  ]
  const write = [
    stateDir,
    // Node takes a folder that is missing for a file.
    join(stateDir, '*'),
    ...(tape === undefined ? [] : [tape, `${tape}.partial`, `${tape}.packing`]),
    ...(cache === undefined ? [] : [cache]),
  ]
  return {
    flags: [
      '--permission',
      // Older ones do not restrict the network, and refuse the flag.
      ...(major < 25 ? [] : ['--allow-net']),
      ...grants('--allow-fs-read', [...read, ...write]),
      ...grants('--allow-fs-write', write),
      // It says of --allow-net that it is experimental.
      '--disable-warning=ExperimentalWarning',
      '--disable-proto=delete',
      '--report-exclude-env',
    ],
    environment: cache === undefined ? environment : { ...environment, NODE_COMPILE_CACHE: cache },
  }
}

/**
 * Makes the state folder, for its owner alone, unless a mistake in the command would leave it behind. The process itself may
 * not look at the folders above it. Why it cannot be made is reported by the command.
 */
function makeFolder(path, files) {
  try {
    if (files.length === 0 || !files.every((each) => statSync(each)) || isFolder(path)) return
    makeFolder(dirname(path), files)
    mkdirSync(path, { mode: 0o700 })
  } catch {}
}

function readWords(words) {
  const files = []
  const named = {}
  for (let place = 0; place < words.length; place++) {
    const word = words[place]
    const [, name, value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? []
    if (word === '--') return { files: [...files, ...words.slice(place + 1)], named }
    if (name === undefined) files.push(word)
    else if (valueFlags.has(name)) named[name] = value ?? words[++place]
  }
  return { files, named }
}

/** The folders of this package and of its dependencies, wherever npm has put them. */
function codeFolders() {
  const here = fileURLToPath(import.meta.url)
  const root = dirname(dirname(here))
  const own = ['src', 'dist', 'config', 'package.json'].map((name) => join(root, name))
  const modules = createRequire(here).resolve.paths('yaml') ?? []
  return [...own, ...modules.filter((path) => isFolder(path))]
}

/** A strategy may extend any of them. */
function yamlBeside(path) {
  const folder = dirname(path)
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.yaml') || name.endsWith('.yml'))
      .map((name) => join(folder, name))
  } catch {
    // The command reports that the file cannot be read.
    return []
  }
}

/** A settings file, and every file that one of its values may name; the command itself reports what is wrong with them. */
async function filesNamedIn(path) {
  const { isScalar, parseDocument, visit } = await import('yaml')
  const found = [path]
  try {
    if (statSync(path).size > settingsBytesMax) return found
    visit(parseDocument(readFileSync(path, 'utf8'), { schema: 'failsafe', logLevel: 'silent' }), {
      Pair(_key, { value }) {
        const text = isScalar(value) ? String(value.value) : ''
        const file = resolve(dirname(path), text)
        // A grant of a folder is a grant of all that is in it.
        if (text !== '' && !text.includes('://') && !isFolder(file)) found.push(file)
      },
    })
  } catch {
    return found
  }
  return found
}

/** A path as it is named and as it is; Node compares texts and follows links. A star would stand for anything. */
function pathsOf(path) {
  const named = resolve(path)
  const plain = named.replace(/\/?\*$/, '')
  if (plain.includes('*') || plain.includes('\0')) return []
  try {
    return [named, realpathSync(plain) + named.slice(plain.length)]
  } catch {
    return [named]
  }
}

function isFolder(path) {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** Each path once, and the beginning of another one before that one: in another order, Node 26 forgets some of them. */
function grants(flag, paths) {
  const named = [...new Set(paths.flatMap(pathsOf))].sort(
    (a, b) => lettersOf(a) - lettersOf(b) || isOpen(b) - isOpen(a),
  )
  return named.map((path) => `${flag}=${path}`)
}

function lettersOf(path) {
  return path.replace(/\/?\*$/, '').length
}

function isOpen(path) {
  return Number(path.endsWith('*'))
}
