import { exposureLimitOf, percentOf } from '#src/cli/fleet/fleet-flags.ts'
import { leaseOf, portOf, spanOf } from '#src/cli/words/flags.ts'
import { oneOf, repeated, type MakeAction, type TableCommand } from '../command-parts.ts'

const accountFlag = {
  '--account <text>': [
    'Only accounts whose name contains this text; repeatable (default: all accounts)',
    repeated,
  ],
} as const
const waitFlag = {
  '--wait <duration>': ['How long a command may take to reach a bot (default: 10s)', spanOf],
} as const

/** Commands for all bots that share a PostgreSQL server. */
export function fleetCommands(command: TableCommand, run: MakeAction): TableCommand {
  command.description('Show and control the bots of a fleet')
  const named = (name: string, about: string) =>
    command
      .command(name)
      .description(about)
      .argument('<address>', 'PostgreSQL server of the fleet, such as postgres://rungs@10.0.0.5/rungs')
  named('status', 'Show the bots and strategies of a fleet, and the exposure over all accounts')
    .flags({
      '--max-exposure <limit>': [
        'Exit with code 2 if the positions of all accounts together are above a limit: BTC_PERP=50000, or 50000 for each ' +
          'market, in the money of the market; repeatable (default: no limit)',
        exposureLimitOf,
      ],
      '--json': 'Print the result as one line of JSON',
    })
    .action(run(async () => (await import('#src/cli/fleet/fleet-status.ts')).fleetStatus))
  named('dashboard', 'Serve a page with the bots of a fleet on this machine, until Ctrl-C')
    .flags({ '--port <number>': ['Port of the page; 0 chooses a free port (default: 0)', portOf] })
    .action(run(async () => (await import('#src/cli/fleet/fleet-dashboard.ts')).fleetDashboard))
  named('stop', 'Place no new entries in any account; exits keep working')
    .flags({
      ...accountFlag,
      '--cancel': 'Cancel the open entries as well',
      '--freeze': 'Freeze exits as well',
      '--reason <text>':
        'Reason; each bot stores it in its journal (default: stopped by an operator of the fleet)',
      ...waitFlag,
    })
    .action(run(async () => (await import('#src/cli/fleet/fleet-operate.ts')).fleetStop))
  named('resume', 'Resume trading after a stop, a halt or a pause')
    .flags({
      ...accountFlag,
      '--reason <text>':
        'Reason; each bot stores it in its journal (default: resumed by an operator of the fleet)',
      ...waitFlag,
    })
    .action(run(async () => (await import('#src/cli/fleet/fleet-operate.ts')).fleetResume))
  named('flatten', 'Cancel open orders and close all positions at the market, wait, and name what remains')
    .flags({
      ...accountFlag,
      '--yes': 'Do not ask',
      '--wait <duration>': ['How long to wait for closed positions (default: 60s)', spanOf],
      '--reason <text>':
        'Reason; each bot stores it in its journal (default: flattened by an operator of the fleet)',
    })
    .action(run(async () => (await import('#src/cli/fleet/fleet-operate.ts')).fleetFlatten))
  named('rollout', 'Replace the text of a strategy in a share of the accounts that run it')
    .argument('<file>', 'Strategy file; its name says which strategy it replaces')
    .requiredOption('--to <percent>', 'Share of the accounts that should run the file, such as 5%', percentOf)
    .flags({
      '--soak <duration>': [
        'How long to observe the changed accounts: after a halt, an alert or a take-over, all of them run the previous text ' +
          'again (default: 60s)',
        spanOf,
      ],
      ...accountFlag,
      ...waitFlag,
    })
    .action(run(async () => (await import('#src/cli/fleet/fleet-rollout.ts')).fleetRollout))
  return command
}

/** Flags of `rungs run` for a bot that shares its account with other machines. */
export function withFleetOptions(command: TableCommand): TableCommand {
  return command.flags({
    '--fleet <address>':
      'PostgreSQL server of a fleet, such as postgres://rungs@10.0.0.5/rungs: only one of its processes trades for an ' +
      'account (default: none)',
    '--standby': 'Wait while another process of the fleet trades for the account, then take over',
    '--lease <duration>': [
      'Time after which a standby takes over from a process that has failed (default: 2s)',
      leaseOf,
    ],
    '--on-lost-lease <what>': oneOf(
      'Open orders of a process that loses its lease: rest at the venue, or cancel: the kill switch of the venue cancels ' +
        'them, and every strategy must have one, the key deadman (default: rest)',
      ['rest', 'cancel'],
    ),
  })
}
