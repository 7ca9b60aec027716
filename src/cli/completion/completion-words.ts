import type { Argument, Command, Option } from 'commander'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { callFlags } from '#src/cli/api/arguments.ts'
import { fieldsOf, kebab } from '#src/cli/api/fields.ts'

/** The possible kinds of a word of the command line. */
export type Value = readonly string[] | Place
/** A strategy is a file, a name is that of a strategy that runs, or ran last; a rung begins with the name of a ladder. */
type Place = 'file' | 'folder' | 'strategy' | 'name' | 'rung' | 'anything'

export type FlagWords = { names: string[]; about: string; value: Value | undefined }
export type CommandWords = {
  name: string
  about: string
  flags: FlagWords[]
  /** Positional arguments in their order; the last may repeat. */
  values: Value[]
}

/** All completions, from the description of the program itself. */
export function completionWords(program: Command): CommandWords[] {
  return program.commands.flatMap((command) =>
    command.name() === 'api' ? apiWords(command) : wordsOf(command),
  )
}

function wordsOf(command: Command): CommandWords {
  const flags = command.options.map((option) => ({
    names: [option.short, option.long].filter((name) => name !== undefined),
    about: option.description,
    value: option.required || option.optional ? valueOf(option) : undefined,
  }))
  const values = command.registeredArguments.map(argumentOf)
  return { name: command.name(), about: command.description(), flags, values }
}

function valueOf({ argChoices, flags }: Option): Value {
  if (argChoices) return argChoices
  if (flags.endsWith('<folder>')) return 'folder'
  if (flags.startsWith('--strategy ')) return 'name'
  return flags.endsWith('<file>') || flags.endsWith('<source>') ? 'file' : 'anything'
}

function argumentOf(argument: Argument): Value {
  if (argument.argChoices) return argument.argChoices
  if (argument.name() === 'strategy') return 'name'
  if (argument.name() === 'what') return 'rung'
  if (argument.name().startsWith('strategy-file')) return 'strategy'
  return /file|tape|paths/.test(argument.name()) ? 'file' : 'anything'
}

/** Each endpoint is a command of two words, with its fields as flags. */
function apiWords(command: Command): CommandWords[] {
  const flags = Object.entries(callFlags).map(([name, { takes, about }]) => ({
    names: [`--${name}`],
    about,
    value: takes && (valuesOfCalls[takes] ?? 'anything'),
  }))
  const endpoints = Object.entries(contract).map(([name, row]: [string, Endpoint]): CommandWords => {
    const fields = fieldsOf(row).map(({ flag, about, choices }): FlagWords => ({
      names: [`--${flag}`],
      about,
      value: choices.length > 0 ? choices.map(String) : 'anything',
    }))
    return { name: `api ${kebab(name)}`, about: row.summary, flags: [...fields, ...flags], values: [] }
  })
  const names = Object.keys(contract).map(kebab)
  return [{ name: 'api', about: command.description(), flags, values: [names] }, ...endpoints]
}

const valuesOfCalls: Readonly<Record<string, Value>> = { FILE: 'file', DIR: 'folder' }
