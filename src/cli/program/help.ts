import { Help, type Command, type Option } from 'commander'

/** The groups of `rungs --help`, in their order and in the order of their commands. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Trade:': ['new', 'check', 'run'],
  'Research:': ['backtest', 'sweep', 'report', 'market', 'record', 'simulate'],
  'Operate:': [
    'status',
    'why',
    'logs',
    'dashboard',
    'stop',
    'resume',
    'resolve',
    'doctor',
    'alerts',
    'replay',
    'verify',
    'completion',
  ],
  'Exchange:': ['exchange', 'api'],
}

/** Puts the commands into groups and states the default of each flag. */
export function arrangeHelp(program: Command): void {
  const order = Object.values(groups).flat()
  for (const command of program.commands) {
    const group = Object.keys(groups).find((heading) => groups[heading]?.includes(command.name()))
    if (group === undefined) throw new Error(`${command.name()} is in no group of --help`)
    command.helpGroup(group)
    for (const each of [command, ...command.commands]) each.configureHelp({ optionDescription })
  }
  program.configureHelp({
    visibleCommands: ({ commands }) =>
      commands.toSorted((one, other) => order.indexOf(one.name()) - order.indexOf(other.name())),
    // Commander orders groups by the first command that was added.
    groupItems: (_, visible, groupOf) => new Help().groupItems(visible, visible, groupOf),
    // `[options]` behind every name says nothing in a list.
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
