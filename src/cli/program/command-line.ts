import { type Command, CommanderError, Help, type Option } from 'commander'
import { usage } from '#src/cli/words/usage.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { suggestion } from '#src/core/yaml/suggestion.ts'
import { exchangeCommands } from './commands/exchange-commands.ts'
import { operateCommands } from './commands/operate-commands.ts'
import { researchCommands } from './commands/research-commands.ts'
import { tradeCommands } from './commands/trade-commands.ts'
import { TableCommand, type MakeAction } from './command-parts.ts'
import packageJson from '../../../package.json' with { type: 'json' }

/** The headings of `rungs --help` and their commands, in the order of the help. */
const groups = {
  'Trade:': tradeCommands,
  'Research:': researchCommands,
  'Operate:': operateCommands,
  'Exchange:': exchangeCommands,
}

/** Runs a command line and returns its exit code. */
export async function run(words: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.ok
  const program = new TableCommand('rungs')
    .description(packageJson.description)
    .version(packageJson.version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .showHelpAfterError(false)
    .addHelpText('after', '\nFirst steps: "rungs new" creates a strategy file; "rungs run FILE" trades it.')

  const run: MakeAction =
    (load) =>
    async (...words) => {
      const work = await load(...words)
      exitCode = await work(...words)
    }
  for (const [heading, commands] of Object.entries(groups)) {
    program.commandsGroup(heading)
    for (const [name, describe] of Object.entries(commands)) describe(program.command(name), run)
  }
  arrangeHelp(program)
  const [first, about] = words
  const names = program.commands.map((command) => command.name())
  if (first === 'help' && about !== undefined && !names.includes(about)) {
    throw usage(`unknown command '${about}'${suggestion(about, names)}`)
  }
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.helpDisplayed' || error.code === 'commander.version') return exitCodes.ok
    // Commander has printed the message already, also if the command is missing.
    if (error.code === 'commander.help') return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    throw usage(oneLine(error.message), `See ${commandIn(program, words)} --help`, error)
  }
  return exitCode
}

/** The full name of the command: `rungs alerts test`. */
function commandIn(program: Command, words: readonly string[]): string {
  let [command, path] = [program, 'rungs']
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) break
    ;[command, path] = [next, `${path} ${word}`]
  }
  return path
}

/**
 * Joins `error: unknown command 'exchnage'` and the suggestion on the next line into one sentence; of several suggestions, the
 * likeliest.
 */
function oneLine(message: string): string {
  const line = message.replace(/^error: /, '').replace(/\s*\(Did you mean (.+)\?\)$/, ', did you mean $1?')
  const [, begin, text = '', of = '', choices] =
    /^(?:command-)?(.*'([^']*)' is invalid)( for argument '\w+')?\. Allowed choices are (.+)\.$/.exec(line) ??
    []
  if (begin === undefined || choices === undefined) return line
  return `${begin}${of}${suggestion(text, choices.split(', '))}; allowed choices are ${choices}`
}

/** Lists commands with their arguments only, and states the default of each flag. */
function arrangeHelp(program: Command): void {
  for (const command of program.commands)
    for (const each of [command, ...command.commands]) each.configureHelp({ optionDescription })
  program.configureHelp({
    // Without the command `help`, which Commander adds.
    visibleCommands: ({ commands }) => [...commands],
    // `[options]` after every name is no information in a list.
    subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
  })
}

function argumentTerm(argument: { name: () => string; required: boolean; variadic: boolean }): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

/** Commander states neither that a switch is off by default nor that a flag is required. */
function optionDescription(option: Option): string {
  const about = new Help().optionDescription(option)
  if (option.mandatory) return `${about} (required)`
  const isSwitch = !option.required && !option.optional
  return isSwitch && option.long !== '--help' ? `${about} (default: off)` : about
}
