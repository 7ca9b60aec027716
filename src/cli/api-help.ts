import { placeOf, type Endpoint } from '#src/contract/endpoint.ts'
import { contract } from '#src/contract/table.ts'
import { callFlags, takes } from './api-arguments.ts'
import { exitCodes } from '#src/errors/catalogue.ts'
import { fieldsOf, kebab, listsOf, type Field } from './api-fields.ts'
import type { Assumption } from '#src/contract/assumption.ts'
import { assumptions } from '#src/contract/assumptions.ts'
import { columns, shellWord, wrapped } from './text.ts'

/** Every endpoint with what a person wants to know before choosing one. */
export function endpointList(): string {
  const rows = Object.entries(contract).map(([name, row]: [string, Endpoint]) => [
    kebab(name),
    placeOf(row),
    row.access,
    row.effect,
    row.summary,
  ])
  return [
    'Usage: rungs api NAME [--field value ...]',
    '',
    ...columns([['NAME', 'SPEC', 'ACCESS', 'EFFECT', 'WHAT IT DOES'], ...rows]),
    '',
    'A call that writes asks first, or needs --yes. Fields of one call: rungs api NAME --help',
    'What is "beyond" the specification the exchange serves when started with --profile full.',
    'For other languages: rungs api --openapi > openapi.json',
    '',
    ...flagLines(),
  ].join('\n')
}

/** One endpoint: its flags, an example that can be pasted, and what comes back. */
export function endpointHelp(name: string, row: Endpoint): string {
  const fields = fieldsOf(row)
  const partner = row.access === 'partner' ? ', for business partners' : ''
  const effect = row.effect === 'write' ? 'changes something, so it asks first' : 'changes nothing'
  return [
    `rungs api ${kebab(name)}: ${row.summary}`,
    `${placeOf(row)}${partner}, ${effect}`,
    ...(row.beyond ? ['The exchange serves it with --profile full only'] : []),
    '',
    ...(fields.length === 0 ? ['It takes no fields.'] : columns(fields.map(helpLine))),
    ...listsOf(row).flatMap(listLines),
    '',
    'Example',
    `  ${exampleCommand(name, row)}`,
    'Answer',
    ...JSON.stringify(row.example.response, undefined, 2)
      .split('\n')
      .map((line) => `  ${line}`),
    ...choiceLines(row.section),
    '',
    ...flagLines('help', 'openapi'),
    '',
    ...exitLines(row),
  ].join('\n')
}

/** What this venue does where the specification is silent: a client written against it should know. */
function choiceLines(section: string): string[] {
  const choices = Object.values<Assumption>(assumptions).filter((choice) =>
    choice.section.split(', ').includes(section),
  )
  if (choices.length === 0) return []
  const lines = ['', 'Where the specification leaves it open']
  for (const choice of choices) {
    lines.push(...wrapped(`${choice.silence}:`, '  '), ...wrapped(choice.choice, '    '))
    if (choice.switch !== undefined) lines.push(`    World switch: ${choice.switch}`)
  }
  return lines
}

export function exampleCommand(name: string, row: Endpoint): string {
  const yes = row.effect === 'write' ? ['--yes'] : []
  return ['npx rungs api', kebab(name), ...exampleWords(row).map(shellWord), ...yes].join(' ')
}

/** The words of the command line that make the example of a row. */
export function exampleWords(row: Endpoint): string[] {
  const fields = fieldsOf(row)
  // An object with flags of its own for its members is written with those.
  const leaves = fields.filter((field) => !fields.some((other) => isInside(other, field)))
  return leaves.flatMap((field) => {
    const value = valueAt(row.example.request, field.path)
    if (value === undefined) return []
    if (value === true) return [`--${field.flag}`]
    if (field.kind === 'secret') return [`--${field.flag}`, `@${field.flag}.txt`]
    return [`--${field.flag}`, typeof value === 'string' ? value : JSON.stringify(value)]
  })
}

function isInside(inner: Field, outer: Field): boolean {
  return (
    inner.path.length > outer.path.length && outer.path.every((name, index) => inner.path[index] === name)
  )
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((around, name) => {
    return typeof around === 'object' && around !== null ? Reflect.get(around, name) : undefined
  }, value)
}

/** As a POSIX shell wants it. */
function helpLine(field: Field): string[] {
  return [`  --${field.flag} ${takes(field)}`, field.required ? 'required' : '', field.about]
}

/** The members of one element keep the names that the JSON has. */
function listLines({ flag, fields }: { flag: string; fields: Field[] }): string[] {
  const lines = fields.map((field) => [
    `  ${field.path.join('.')}: ${takes(field)}`,
    field.required ? 'required' : '',
    field.about,
  ])
  return ['', `Each of --${flag}, a JSON object`, ...columns(lines)]
}

/** What a script should tell apart; README has all of them. */
function exitLines({ effect, request }: Endpoint): string[] {
  const bulk = 'orders' in request.shape ? ' (a bulk: every order of it)' : ''
  const again =
    effect === 'write' ? 'nothing was sent in time, or nobody knows: the message says which' : 'try again'
  const codes = columns([
    [`  ${exitCodes.ok}`, 'the venue answered'],
    [`  ${exitCodes.temporary}`, again],
    [`  ${exitCodes.refused}`, `the venue refused${bulk}`],
  ])
  return ['Exit codes', ...codes]
}

function flagLines(...without: string[]): string[] {
  const lines = Object.entries(callFlags)
    .filter(([name]) => !without.includes(name))
    .map(([name, { takes, about }]) => [`  --${name}${takes === undefined ? '' : ` ${takes}`}`, about])
  return ['Flags of every call', ...columns(lines)]
}
