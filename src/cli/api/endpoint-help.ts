import { placeOf, type Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { callFlags, takes } from './arguments.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { fieldsOf, kebab, listsOf, type FieldFlag } from './fields.ts'
import type { Assumption } from '#src/venues/whitebit/contract/assumptions/assumption.ts'
import { assumptions } from '#src/venues/whitebit/contract/assumptions/assumptions.ts'
import { valueAt } from '#src/core/objects/objects.ts'
import { columns, shellWord, wrapped } from '#src/cli/words/text.ts'

/** The list of all endpoints. */
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
    ...columns([['NAME', 'SPEC', 'ACCESS', 'EFFECT', 'DESCRIPTION'], ...rows]),
    '',
    'Calls with the effect "write" ask for confirmation; --yes skips the question. Fields of one call: rungs api NAME --help',
    'The column SPEC names the paragraph of the specification.',
    'Endpoints with "beyond" in this column are not part of it: the embedded exchange serves them only with --profile full.',
    'OpenAPI document: rungs api --openapi > openapi.json',
    '',
    ...flagLines(),
  ].join('\n')
}

/** The help of one endpoint: its flags, an example to paste, and the answer. */
export function endpointHelp(name: string, row: Endpoint): string {
  const fields = fieldsOf(row)
  const partner = row.access === 'partner' ? ', business partners only' : ''
  const effect = row.effect === 'write' ? 'write: asks for confirmation' : 'read only'
  return [
    `rungs api ${kebab(name)}: ${row.summary}`,
    `${placeOf(row)}${partner}, ${effect}`,
    ...(row.beyond ? ['The embedded exchange serves this endpoint only with --profile full'] : []),
    '',
    ...(fields.length === 0
      ? ['No fields.']
      : columns(fields.map((field) => fieldRow(`--${field.flag}`, field)))),
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

/** The assumptions of this venue where the specification is silent: a client written against it needs them. */
function choiceLines(section: string): string[] {
  const choices = Object.values<Assumption>(assumptions).filter((choice) =>
    choice.section.split(', ').includes(section),
  )
  if (choices.length === 0) return []
  const lines = ['', 'Behaviour that the specification does not define']
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

/** The command line that makes the example of a row. */
export function exampleWords(row: Endpoint): string[] {
  const fields = fieldsOf(row)
  // An object with flags for its members is written with those.
  const leaves = fields.filter((field) => !fields.some((other) => isInside(other, field)))
  return leaves.flatMap((field) => {
    const value = valueAt(row.example.request, field.path)
    if (value === undefined) return []
    if (value === true) return [`--${field.flag}`]
    if (field.kind === 'secret') return [`--${field.flag}`, `@${field.flag}.txt`]
    return [`--${field.flag}`, typeof value === 'string' ? value : JSON.stringify(value)]
  })
}

function isInside(inner: FieldFlag, outer: FieldFlag): boolean {
  return (
    inner.path.length > outer.path.length && outer.path.every((name, index) => inner.path[index] === name)
  )
}

function fieldRow(name: string, field: FieldFlag): string[] {
  return [`  ${name} ${takes(field)}`, field.required ? 'required' : '', field.about]
}

/** The members of one element keep the names that the JSON has. */
function listLines({ flag, fields }: { flag: string; fields: FieldFlag[] }): string[] {
  const lines = fields.map((field) => fieldRow(`${field.path.join('.')}:`, field))
  return ['', `Fields of each object in --${flag}`, ...columns(lines)]
}

/** Exit codes that a script should distinguish; docs/operations.md lists all. */
function exitLines({ effect, request }: Endpoint): string[] {
  const bulk = 'orders' in request.shape ? ' (bulk: it refused every order)' : ''
  const again =
    effect === 'write'
      ? 'nothing was sent in time, or the outcome is unknown: see the message'
      : 'no answer: call again'
  const codes = columns([
    [`  ${exitCodes.ok}`, 'the venue answered'],
    [`  ${exitCodes.temporary}`, again],
    [`  ${exitCodes.refused}`, `the venue refused the call${bulk}`],
  ])
  return ['Exit codes', ...codes]
}

function flagLines(...without: string[]): string[] {
  const lines = Object.entries(callFlags)
    .filter(([name]) => !without.includes(name))
    .map(([name, { takes, about }]) => [`  --${name}${takes === undefined ? '' : ` ${takes}`}`, about])
  return ['Flags of all calls', ...columns(lines)]
}
