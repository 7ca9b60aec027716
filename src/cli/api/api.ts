import { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { keysOf } from '#src/core/objects/objects.ts'
import { suggestion } from '#src/core/yaml/suggestion.ts'
import { parseArguments } from './arguments.ts'
import { folded, kebab } from './fields.ts'
import { endpointHelp, endpointList } from './endpoint-help.ts'
import { printed } from '#src/cli/words/printed.ts'

/** `rungs api`: the list of endpoints, the help of one, the OpenAPI document, or a call. */
export async function api(words: readonly string[]): Promise<number> {
  const [first, ...rest] = words
  if (first === undefined || first.startsWith('-')) return withoutName(words)
  const name = nameOf(first)
  const row: Endpoint = contract[name]
  // Help must work before the required parameters are known.
  if (rest.includes('--help') || rest.includes('-h')) return printed(endpointHelp(name, row))
  try {
    const { flags, parameters } = parseArguments(row, rest)
    for (const name of ['openapi', 'spelling'] as const)
      if (flags.given.has(name)) throw usage(`--${name} takes no endpoint`)
    const { callEndpoint } = await import('./api-call.ts')
    return await callEndpoint(name, parameters, flags)
  } catch (error) {
    if (!(error instanceof BotError) || error.code !== 'USAGE') throw error
    const fix = `Nothing was sent. Fields and example: npx rungs api ${kebab(name)} --help`
    throw usage(error.seen, fix, error)
  }
}

async function withoutName(words: readonly string[]): Promise<number> {
  const { flags } = parseArguments(undefined, words)
  const { spelling = 'spec' } = flags.values
  if (spelling !== 'spec' && spelling !== 'camel') throw usage('--spelling must be spec or camel')
  if (!flags.given.has('openapi')) return printed(endpointList())
  const { openApiDocument } = await import('#src/venues/whitebit/contract/openapi.ts')
  const document = openApiDocument(contract, spelling)
  return printed(JSON.stringify(document, undefined, flags.given.has('json') ? undefined : 2))
}

function nameOf(word: string): EndpointName {
  const names = keysOf(contract)
  const name = names.find((each) => folded(each) === folded(word))
  if (name !== undefined) return name
  throw usage(
    `unknown endpoint "${word.slice(0, 60)}"${suggestion(word, names.map(kebab))}`,
    'List all endpoints with: rungs api',
  )
}
