import { Help, type Command, type Option } from 'commander'

/** Lists commands with their arguments only, and states the default of each flag. */
export function arrangeHelp(program: Command): void {
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
