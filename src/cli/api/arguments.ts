import { readFileSync } from 'node:fs'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { usage } from '#src/cli/words/usage.ts'
import { readSecretFile } from '#src/core/disk/secret-file.ts'
import { suggestion } from '#src/core/yaml/suggestion.ts'
import { fieldsOf, folded, type FieldFlag } from './fields.ts'
import { textIn } from '#src/cli/files/named-file.ts'
import { isRecord, keysOf } from '#src/core/objects/objects.ts'

/** Flags of every call, in addition to the fields of its endpoint. */
export const callFlags = {
  venue: { takes: 'FILE', about: 'Venue file (default: RUNGS_VENUE, else config/paper.yaml of the package)' },
  url: {
    takes: 'ADDRESS',
    about: 'Address of the venue (default: RUNGS_URL, else the address in the venue file)',
  },
  'eu-url': {
    takes: 'ADDRESS',
    about: 'Second address of the venue (default: RUNGS_EU_URL, else the address in the venue file)',
  },
  'state-dir': {
    takes: 'DIR',
    about: 'Folder that stores the last nonce (default: RUNGS_STATE_DIR, else .rungs)',
  },
  json: { takes: undefined, about: 'Print only the answer, as one line of JSON (default: off)' },
  'dry-run': {
    takes: undefined,
    about: 'Print the signed request with secrets masked; send nothing (default: off)',
  },
  yes: {
    takes: undefined,
    about: 'Do not ask for confirmation before a call that changes something (default: off)',
  },
  help: { takes: undefined, about: 'Show the fields of the endpoint, an example and its answer' },
  openapi: { takes: undefined, about: 'Print the OpenAPI 3.1 document of all endpoints and exit' },
  spelling: { takes: 'spec|camel', about: 'With --openapi: spelling of the names of fields (default: spec)' },
} as const satisfies Record<string, { takes: string | undefined; about: string }>

type CallFlag = keyof typeof callFlags
type Flag = { takes: string | undefined } & (
  | { name: CallFlag; field?: undefined }
  | { name: string; field: FieldFlag }
)
/** `values` holds the flags with a value, `given` all flags. */
export type CallFlags = { given: ReadonlySet<CallFlag>; values: Readonly<Partial<Record<CallFlag, string>>> }

const fileBytesMax = 1024 * 1024

/** Reads the parameters of a call from its flags; without a row, only the flags of every call. */
export function parseArguments(
  row: Endpoint | undefined,
  words: readonly string[],
): { flags: CallFlags; parameters: Record<string, unknown> } {
  const known: Flag[] = [
    ...keysOf(callFlags).map((name) => ({ name, takes: callFlags[name].takes })),
    ...(row === undefined ? [] : fieldsOf(row)).map((field) => ({
      name: field.flag,
      takes: takes(field),
      field,
    })),
  ]
  const parameters: Record<string, unknown> = {}
  const values: Partial<Record<CallFlag, string>> = {}
  const given = new Set<CallFlag>()
  const rest = [...words]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const { flag, text } = flagIn(word, known)
    const value = text ?? valueAfter(flag, rest)
    if (flag.field !== undefined) assign(parameters, flag.field, converted(flag.field, value))
    else {
      if (value !== undefined && flag.takes === undefined) throw usage(`--${flag.name} takes no value`)
      given.add(flag.name)
      if (value !== undefined) values[flag.name] = value
    }
  }
  return { flags: { given, values }, parameters }
}

function flagIn(word: string, known: readonly Flag[]): { flag: Flag; text: string | undefined } {
  const [, name, text] = /^--([^=]+)(?:=(.*))?$/s.exec(word === '-h' ? '--help' : word) ?? []
  if (name === undefined) throw usage(`"${word.slice(0, 60)}" has no flag before it`)
  const flag = known.find((each) => folded(each.name) === folded(name))
  if (flag !== undefined) return { flag, text }
  const names = known.map((each) => `--${each.name}`)
  throw usage(`unknown flag --${name.slice(0, 60)}${suggestion(name, names)}`)
}

/** The value behind the flag. A boolean flag without a value means true. */
function valueAfter(flag: Flag, rest: string[]): string | undefined {
  const next = rest[0]
  if (flag.field?.kind === 'boolean') return next === 'true' || next === 'false' ? rest.shift() : 'true'
  if (flag.takes === undefined) return undefined
  if (next === undefined || next.startsWith('--')) throw usage(`--${flag.name} needs a value: ${flag.takes}`)
  return rest.shift()
}

/** The placeholder of a flag's value in help. */
export function takes(field: FieldFlag): string {
  if (field.choices.length > 0) return field.choices.join('|')
  const words = {
    text: 'TEXT',
    secret: '@FILE|-',
    decimal: 'DECIMAL',
    integer: 'INTEGER',
    number: 'NUMBER',
    boolean: '[true|false]',
    json: 'JSON|@FILE',
  }
  return field.nullable ? `${words[field.kind]}|null` : words[field.kind]
}

function converted(field: FieldFlag, text = ''): unknown {
  if (field.nullable && text === 'null') return null
  if (field.choices.length > 0) {
    const choice = field.choices.find((each) => String(each) === text)
    if (choice !== undefined) return choice
    const known = field.choices.map(String)
    // No suggestion for a number: similar numbers mean nothing.
    const guess = field.kind === 'text' ? suggestion(text, known) : ''
    throw usage(`--${field.flag} must be one of ${known.join(', ')}${guess}`)
  }
  switch (field.kind) {
    case 'text':
    case 'decimal':
      return text
    case 'secret':
      return secretOf(field, text)
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true'
      throw usage(`--${field.flag} must be true or false`)
    case 'integer':
      if (/^-?\d{1,15}$/.test(text)) return Number(text)
      throw usage(`--${field.flag} must be a whole number`)
    case 'number':
      if (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text)
      throw usage(`--${field.flag} must be a number`)
    case 'json':
      return jsonOf(field, text)
  }
}

/** Other users can see the words of a command line in the list of processes, and shells store them. */
function secretOf({ flag }: FieldFlag, text: string): string {
  if (text.startsWith('@')) return readSecretFile(text.slice(1))
  if (text === '-' && !process.stdin.isTTY) return readFileSync(0, 'utf8').trim()
  const how = `--${flag} @FILE reads a private file, and --${flag} - reads standard input`
  throw usage(
    text === '-' ? `standard input is a terminal: ${how}` : `other users can read the command line: ${how}`,
  )
}

function jsonOf(field: FieldFlag, text: string): unknown {
  const file = text.startsWith('@') ? text.slice(1) : undefined
  try {
    return JSON.parse(file === undefined ? text : contentOf(file))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const source = file === undefined ? 'quoted for your shell' : `in ${file}`
    const about = field.about === '' ? '' : ` (${field.about})`
    throw usage(
      `--${field.flag} must be JSON ${source}${about}: ${error.message.slice(0, 120)}`,
      undefined,
      error,
    )
  }
}

function contentOf(file: string): string {
  const text = textIn(file)
  if (text.length > fileBytesMax) throw usage(`${file} is larger than ${fileBytesMax} bytes`)
  return text
}

function assign(parameters: Record<string, unknown>, field: FieldFlag, value: unknown): void {
  const place = field.path.slice(0, -1).reduce<Record<string, unknown>>((around, name) => {
    const inner = Object.hasOwn(around, name) ? around[name] : (around[name] = {})
    if (isRecord(inner)) return inner
    throw usage(`--${name} and --${field.flag} exclude each other`)
  }, parameters)
  const name = field.path.at(-1) ?? ''
  if (Object.hasOwn(place, name)) throw usage(`--${field.flag} is given twice`)
  place[name] = value
}
