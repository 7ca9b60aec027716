import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import {
  modeRooms,
  notModes,
  impure,
  pureModules,
  pureRooms,
  realTimers,
  rooms,
  shells,
} from '#test/rooms.ts'
import { cycles, dead } from '#test/support/import-graph.ts'
import { takeApart, type Text } from '#test/support/code-and-texts.ts'

/** The longest first, since rooms lie in rooms. */
const roomNames = Object.keys(rooms).toSorted((a, b) => b.length - a.length)

type SourceFile = { path: string; text: string }
/** A file taken apart: its code without comments and with empty strings, and the strings by themselves. */
type Parsed = SourceFile & { code: string; texts: Text[]; room: string; imports: string[] }

/** A pure file may import none of these rooms, although its room may. */
const effectRooms: Readonly<Record<string, string>> = {
  'core/time': 'the clock',
  'core/disk': 'the disk',
  'core/log': 'a log',
}
const linesMax = 300
const columnsMax = 130
const filesMax = 20
const decimalDoor = 'src/core/money/decimal.ts'
/** Flags of V8 hold for the whole process, and commands also run in the process of the tests. */
const v8Doors: readonly string[] = ['src/main.ts', 'src/runtime/loop/jit-threshold.ts']

/** Everything that is out of order in a tree, each with its file. */
function complaints(files: readonly SourceFile[]): string[] {
  const parsed = files.map(parse)
  const source = parsed.filter(({ path }) => path.startsWith('src/'))
  return [
    ...[sizes, words, timers].flatMap((rule) => parsed.flatMap(rule)),
    ...[imports, effects, modes, exports].flatMap((rule) => source.flatMap(rule)),
    ...cycles(source),
    ...dead(source),
    ...typesOfOneName(parsed),
    ...crowded(files),
  ]
}

function sizes({ path, text }: Parsed): string[] {
  const lines = text.replace(/\n$/, '').split('\n')
  const long = lines.findIndex((line) => line.length > columnsMax)
  return [
    ...(lines.length > linesMax ? [`${path} has ${lines.length} lines, more than ${linesMax}`] : []),
    ...(long === -1 ? [] : [`${path}:${long + 1} is longer than ${columnsMax} columns`]),
  ]
}

function crowded(files: readonly SourceFile[]): string[] {
  const folders = Map.groupBy(files, ({ path }) => posix.dirname(path))
  const full = [...folders].filter(([, { length }]) => length > filesMax)
  return full.map(([folder, { length }]) => `${folder} has ${length} files, more than ${filesMax}`)
}

function words({ path, text, code }: Parsed): string[] {
  const vague = /(?:^|[-/.])(utils?|helpers?|managers?|commons?)(?=[-/.])/.exec(path)
  const unfinished = /\b(?:TO[D]O|FIX[M]E)\b/.exec(text)
  const partial = /\b(?:test|it|describe)\b[\w.]*(?:\([^)]*\))?\.(?:only|skip|todo)\b/.exec(code)
  return [
    ...(vague ? [`${path} is named "${vague[1]}", which says nothing: name what it holds`] : []),
    ...(unfinished ? [`${path} holds a ${unfinished[0]}`] : []),
    ...(partial ? [`${path} leaves tests out: ${partial[0]}`] : []),
  ]
}

function timers({ path, code }: Parsed): string[] {
  if (!path.startsWith('test/') || path.startsWith('test/bench/') || path in realTimers) return []
  const found = /\bimport \{[^}]*\bsetTimeout\b|(?<!\.)\bset(?:Timeout|Interval)\(/.exec(code)
  return found ? [`${path}:${lineAt(code, found.index)} waits in real time: poll, or use realTime`] : []
}

function imports({ path, room, imports }: Parsed): string[] {
  const allowed = rooms[room]
  if (allowed === undefined) return [`${path} is in the room "${room}", which is not in the table`]
  return imports.flatMap((target) => {
    if (target === 'decimal.js' && path !== decimalDoor)
      return [`${path} imports decimal.js, only ${decimalDoor} may`]
    if (!target.startsWith('src/')) {
      const fits = !isPure(path, room) || pureModules.has(target)
      return fits ? [] : [`${path} is pure and imports ${target}`]
    }
    const other = roomOf(target)
    const effect = effectRooms[other]
    if (isPure(path, room) && effect !== undefined) return [`${path} is pure and imports ${effect}`]
    return other === room || allowed.includes(other)
      ? []
      : [`${path} imports ${target}, ${room} may not import ${other}`]
  })
}

function effects({ path, room, code }: Parsed): string[] {
  const flags = v8Doors.includes(path) ? -1 : code.indexOf('setFlagsFromString')
  if (flags !== -1)
    return [`${path}:${lineAt(code, flags)} sets flags of V8, only ${v8Doors.join(' and ')} may`]
  if (!isPure(path, room)) return []
  return impure.flatMap((pattern) => {
    const found = pattern.exec(code)
    return found ? [`${path}:${lineAt(code, found.index)} is pure and uses ${found[0]}`] : []
  })
}

function modes({ path, room, code, texts }: Parsed): string[] {
  if (modeRooms.has(room)) return []
  return ['live', 'paper', 'backtest', 'replay'].flatMap((word) => {
    if (notModes[word]?.includes(path) === true) return []
    const start =
      texts.find(({ value }) => value === word)?.start ?? code.search(new RegExp(String.raw`\b${word}\b`))
    return start === -1 ? [] : [`${path}:${lineAt(code, start)} knows the mode "${word}"`]
  })
}

function exports({ path, code }: Parsed): string[] {
  const found = /\bexport (?:default\b|\*)/.exec(code)
  return found
    ? [`${path}:${lineAt(code, found.index)} has ${found[0]}: export by name, where it is made`]
    : []
}

function typesOfOneName(files: readonly Parsed[]): string[] {
  const first = new Map<string, string>()
  return files.flatMap(({ path, code }) =>
    [...code.matchAll(/\bexport (?:abstract )?(?:type|interface|class) (\w+)/g)].flatMap(([, name = '']) => {
      const other = first.get(name)
      first.set(name, other ?? path)
      return other === undefined ? [] : [`${path} exports a type ${name}, and so does ${other}`]
    }),
  )
}

function isPure(path: string, room: string): boolean {
  return pureRooms.has(room) && !shells.has(path)
}

/** The innermost room of the table that holds the file, or the folder of a file that is in none. */
function roomOf(path: string): string {
  const inside = path.replace(/^src\//, '').replace(/\.ts$/, '')
  const found = roomNames.find((room) => inside === room || inside.startsWith(`${room}/`))
  return found ?? inside.split('/').slice(0, -1).join('/')
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

function parse(file: SourceFile): Parsed {
  const { code, texts } = takeApart(file.text)
  const modules = texts.filter(({ start }) => /(?:\bfrom|\bimport)\s*\(?\s*$/.test(code.slice(0, start)))
  const imports = modules.map(({ value }) => {
    if (value.startsWith('#')) return value.slice(1)
    return value.startsWith('.') ? posix.join(posix.dirname(file.path), value) : value
  })
  return { ...file, code, texts, imports, room: roomOf(file.path) }
}

function filesUnder(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
}

test('the house is tidy', () => {
  expect(complaints([...filesUnder('src'), ...filesUnder('test')])).toEqual([])
})

const main = 'src/main.ts'
const cli = 'src/cli/program/command-line.ts'
const client = 'src/venues/whitebit/client/client.ts'
const table = 'src/venues/whitebit/contract/endpoint-table.ts'
const server = 'src/exchange/http/server.ts'
const gate = 'src/exchange/http/request-gate.ts'
const money = 'src/core/money/decimal.ts'
const story = 'test/venues/whitebit/contract/table.test.ts'

const tidyTree: Readonly<Record<string, string>> = {
  [main]: "import { run } from './cli/program/command-line.ts'\nawait run()\n",
  [cli]:
    "import '#src/venues/whitebit/client/client.ts'\nexport const run = () => import('#src/exchange/http/server.ts')\n",
  [client]:
    "import { path } from '#src/venues/whitebit/contract/endpoint-table.ts'\nexport const url = path\n",
  [table]: "// a clock would be Date.now() here\nexport const path = 'await'\n",
  [server]: "import './request-gate.ts'\nimport 'node:http'\nsetTimeout(() => {}, 1)\n",
  [gate]:
    "import '#src/core/money/decimal.ts'\nexport const quote = /'/.test(`it's ${{ a: `await` }.a} Date.now()`)\n",
  [money]: "import { Decimal } from 'decimal.js'\nexport const one = new Decimal(1)\n",
  [story]: "test('a row has a path', () => {})\n",
}

const filesOf = (tree: Readonly<Record<string, string>>) =>
  Object.entries(tree).map(([path, text]) => ({ path, text }))

test('a tidy tree draws no complaint, whatever stands in its comments and strings', () => {
  expect(complaints(filesOf(tidyTree))).toEqual([])
})

// Each fault is planted once: the name, the file, what is added to it, and what is said of that file.
test.each([
  [
    'the client asking the exchange',
    client,
    "import '#src/exchange/http/request-gate.ts'",
    'venues/whitebit/client may not import exchange',
  ],
  [
    'the exchange asking the client',
    server,
    "import type { C } from '../../venues/whitebit/client/client.ts'",
    'exchange may not import',
  ],
  [
    'a lazy import of a foreign room',
    client,
    "void import('#src/cli/program/command-line.ts')",
    'venues/whitebit/client may not import cli',
  ],
  [
    'main reaching past the cli',
    main,
    "import '#src/venues/whitebit/client/client.ts'",
    'main may not import venues/whitebit/client',
  ],
  ['a room without a name', 'src/attic/step.ts', '', 'is in the room "attic", which is not in the table'],
  ['a clock in a pure room', gate, 'const at = Date.now()', ':3 is pure and uses Date.now'],
  ['a date in a pure room', table, 'const at = new Date()', ':3 is pure and uses new Date'],
  ['a stopwatch in a pure room', table, 'performance.now()', ':3 is pure and uses performance.now'],
  [
    'a clock handed to a pure file',
    gate,
    "import type { Clock } from '#src/core/time/clock.ts'",
    'imports the clock',
  ],
  ['the disk handed to a pure file', gate, "import '#src/core/disk/folder.ts'", 'imports the disk'],
  ['a log handed to a pure file', gate, "import '#src/core/log/group-commit.ts'", 'imports a log'],
  ['dice in a pure room', money, 'Math.random()', ':3 is pure and uses Math.random'],
  ['random bytes in a pure room', gate, "import { randomBytes } from 'node:crypto'", 'uses randomBytes'],
  [
    'a promise in a pure room',
    table,
    'export const never = new Promise(() => {})',
    ':3 is pure and uses Promise',
  ],
  ['waiting in a pure room', table, 'export async function ask() {}', ':3 is pure and uses async'],
  ['a timer in a pure room', table, 'setTimeout(ask, 1)', ':3 is pure and uses setTimeout'],
  ['a console in a pure room', table, 'console.log(1)', ':3 is pure and uses console'],
  ['the disk in a pure room', table, "import { readFileSync } from 'node:fs'", 'is pure and imports node:fs'],
  ['a socket in a pure room', gate, "import { Hono } from 'hono'", 'is pure and imports hono'],
  ['a second importer of decimal.js', client, "import 'decimal.js'", `imports decimal.js, only ${money} may`],
  ['flags of V8 in a command', cli, "setFlagsFromString('--no-opt')", ':3 sets flags of V8'],
  ['a cycle', gate, "import './server.ts'", `${gate} -> ${server} is a cycle`],
  ['a dead file', 'src/core/money/orphan.ts', '', 'is dead'],
  ['a mode as text', client, "if (mode === 'paper') sell()", ':3 knows the mode "paper"'],
  ['a mode as a name', client, 'if (options.backtest) sell()', ':3 knows the mode "backtest"'],
  ['a default export', client, 'export default url', ':3 has export default'],
  ['a barrel', client, "export * from './client.ts'", ':3 has export *'],
  [
    'a second type of one name',
    client,
    'export type Twice = 1\nexport interface Twice {}',
    'exports a type Twice, and so does',
  ],
  ['a file too long', client, 'a()\n'.repeat(299).trimEnd(), 'has 301 lines, more than 300'],
  ['a line too long', client, `a(${'b'.repeat(130)})`, ':3 is longer than 130 columns'],
  ['a timer of the machine in a test', story, 'setTimeout(done, 5)', ':2 waits in real time'],
  ['a sleep in a test', story, "import { setTimeout } from 'node:timers/promises'", ':2 waits in real time'],
  ['a vague name', 'test/venues/whitebit/contract/order-helpers.ts', '', 'is named "helpers"'],
  ['a vague folder', 'test/utils/order.ts', '', 'is named "utils"'],
  ['unfinished work', client, ['// TO', 'DO later'].join(''), 'holds a TO'],
  ['a test that runs alone', story, "test.only('x', () => {})", 'leaves tests out: test.only'],
  ['a test that is left out', story, "test.each([1]).skip('x')", 'leaves tests out: '],
  ['a test that is not written', story, "test.todo('x')", 'leaves tests out: test.todo'],
])('%s is named with its file', (_, path, added, expected) => {
  const found = complaints(filesOf({ ...tidyTree, [path]: `${tidyTree[path] ?? ''}${added}\n` }))
  expect(found.filter((text) => text.includes(path) && text.includes(expected))).toHaveLength(1)
})

test('a folder with more than 20 files is named', () => {
  const many = Object.fromEntries(
    Array.from({ length: 21 }, (_, n) => [`test/stories/story-${n}.test.ts`, '']),
  )
  expect(complaints(filesOf({ ...tidyTree, ...many }))).toContainEqual(
    expect.stringMatching(/^test\/stories has 2\d files, more than 20$/),
  )
})
