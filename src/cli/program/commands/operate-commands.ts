import { Argument } from 'commander'
import { linesOf, spanOf, stateDirFlag } from '#src/cli/words/flags.ts'
import { choice, repeated, type CommandTable } from '../command-parts.ts'
import { fleetCommands } from './fleet-commands.ts'

/** Commands for a bot that runs or ran. */
export const operateCommands: CommandTable = {
  status: (command, run) =>
    command
      .description('Show orders, positions, profit and limits of a bot; if no bot runs, show the last state')
      .argument('[strategy]', 'Name of a strategy (default: all strategies)')
      .flags({ '--json': 'Print the result as one line of JSON', ...stateDirFlag })
      .action(run(async () => (await import('#src/cli/operate/status.ts')).status)),

  why: (command, run) =>
    command
      .description('Explain why an order was sent, or why a strategy, a ladder or a rung has no order')
      .argument(
        '<what>',
        'Strategy (sgrid), ladder (sgrid.grid), rung (sgrid.grid.b1) or order (sgrid.grid.b1.1)',
      )
      .flags({ '--json': 'Print the result as one line of JSON', ...stateDirFlag })
      .action(run(async () => (await import('#src/cli/why/why.ts')).why)),

  fleet: fleetCommands,

  logs: (command, run) =>
    command
      .description('Show the event log of a bot')
      .flags({
        '-f, --follow': 'Wait for new events until Ctrl-C',
        '-n, --lines <number>': [
          'How many of the last lines to print, or the word all (default: all; with -f: 10)',
          linesOf,
        ],
        '--strategy <name>': 'Only events of this strategy (default: all)',
        '--market <name>': 'Only events of this market, such as BTC_PERP (default: all)',
        '--order <id>':
          'Only events of this order (sgrid.grid.b1.1), or of all orders of a rung (sgrid.grid.b1) (default: all)',
        '--level <name>': choice(
          'Only events of this level and of higher levels',
          ['debug', 'info', 'warn', 'error'],
          'info',
        ),
        '--type <name>': [
          'Only events of this type, such as fill or order-*; repeatable (default: all)',
          repeated,
        ],
        '--since <time>':
          'Only events after a time: an age (10m, 2h, 3d) or a date (2026-11-21T14:00Z) (default: all)',
        '--json': 'Print the lines of the log files unchanged, as JSON',
        ...stateDirFlag,
      })
      .action(run(async () => (await import('#src/cli/logs/logs.ts')).logs)),

  dashboard: (command, run) =>
    command
      .description('Print the dashboard link of a running bot; the link gives full control of the bot')
      .flags(stateDirFlag)
      .action(run(async () => (await import('#src/cli/operate/dashboard.ts')).dashboard)),

  stop: (command, run) =>
    command
      .description(
        'Place no new entries; exits keep working. If you name a strategy, the bot also cancels its open entries',
      )
      .argument('[strategy]', 'Name of a strategy (default: all strategies)')
      .flags({
        '--cancel': 'Cancel the open entries of all strategies as well',
        '--freeze':
          'Freeze exits as well: the bot neither places nor cancels stop losses, trailing stops and take profits',
        '--reason <text>': 'Reason; the bot stores it in its journal (default: stopped by an operator)',
        ...stateDirFlag,
      })
      .action(run(async () => (await import('#src/cli/operate/operator-commands.ts')).stopBot)),

  pause: (command, run) =>
    command
      .description('Place no new entries, and leave open entries at the venue; exits keep working')
      .argument('[strategy]', 'Name of a strategy (default: all strategies)')
      .flags({
        '--reason <text>': 'Reason; the bot stores it in its journal (default: paused by an operator)',
        ...stateDirFlag,
      })
      .action(run(async () => (await import('#src/cli/operate/operator-commands.ts')).pauseBot)),

  flatten: (command, run) =>
    command
      .description(
        'Cancel open orders and close all positions at the market, wait until this is done, and name what remains. No new ' +
          'entries until rungs resume',
      )
      .argument('[strategy]', 'Name of a strategy (default: all strategies)')
      .flags({
        '--account':
          'Cancel all orders and close all positions of the account, also those of other programs. A bot in the state folder ' +
          'is stopped, and its exits are frozen. Works without a running bot',
        '--venue <file>': 'Venue file of the account (required with --account, default: none)',
        '--yes': 'Do not ask',
        '--wait <duration>': ['How long to wait, such as 30s or 5m (default: 60s)', spanOf],
        '--reason <text>': 'Reason; the bot stores it in its journal (default: flattened by an operator)',
        ...stateDirFlag,
      })
      .action(run(async () => (await import('#src/cli/operate/flatten.ts')).flattenPositions)),

  resume: (command, run) =>
    command
      .description('Resume trading after a stop, a halt or a pause')
      .argument('[strategy]', 'Name of a strategy (default: all strategies)')
      .flags({
        '--reason <text>': 'Reason; the bot stores it in its journal (default: resumed by an operator)',
        ...stateDirFlag,
      })
      .action(run(async () => (await import('#src/cli/operate/operator-commands.ts')).resumeBot)),

  cancel: (command, run) =>
    command
      .description('Cancel one open entry of a running bot; its rung stays empty until rungs resume')
      .argument('<order>', 'client_order_id of the order, or its rung, such as sgrid.grid.b3')
      .flags({
        '--reason <text>': 'Why; the bot stores the text in its journal (default: cancelled by an operator)',
        ...stateDirFlag,
      })
      .action(run(async () => (await import('#src/cli/operate/operator-commands.ts')).cancelOrder)),

  signal: (command, run) =>
    command
      .description('Send a value to the strategies of a running bot that read the signal of this name')
      .argument('<name>', 'Name of the signal, such as trend; for one strategy: sigent.trend')
      .argument('<value>', 'A state of the signal, such as long, or a number, such as -0.5')
      .flags(stateDirFlag)
      .action(run(async () => (await import('#src/cli/operate/operator-commands.ts')).setSignal)),

  resolve: (command, run) =>
    command
      .description(
        'Resolve an order with unknown outcome manually, or report that a position was closed outside the bot',
      )
      .argument(
        '<order>',
        'If the outcome is "live" or "dead": the client_order_id of the order. If it is "gone": the ladder, such as sgrid.grid',
      )
      .addArgument(
        new Argument(
          '<what>',
          'live: the order exists at the venue; dead: it does not exist; gone: the position was closed outside of the bot',
        ).choices(['live', 'dead', 'gone']),
      )
      .requiredOption('--reason <text>', 'How you checked this; the bot stores the text in its journal')
      .flags({
        '--price <number>': 'With the argument gone: price at which the position was closed (default: none)',
        '--amount <number>':
          'With the argument gone: closed amount (default: the whole position of the ladder)',
        ...stateDirFlag,
      })
      .action(run(async () => (await import('#src/cli/operate/operator-commands.ts')).resolveOrder)),

  doctor: (command, run) =>
    command
      .description('Check the machine, the venue and the API key before the first run')
      .flags({
        '--venue <file>': 'Venue file (default: the embedded exchange)',
        '--node-checksums <file>':
          'Compare the running Node with this SHASUMS256.txt of nodejs.org (default: no comparison)',
        '--fleet <address>': 'PostgreSQL server of a fleet to check as well (default: none)',
        '--probe': 'Find out by small orders what the documents of the venue do not state',
        '-y, --yes': 'With --probe: ask no questions',
        '--live': 'With --probe: place real orders, if the venue is not on this machine',
        '--market <name>':
          'With --probe: market of the orders (default: the futures market with the smallest order)',
        '--clean': 'With --probe: only cancel the orders of earlier probes',
        '--write <file>':
          'With --probe: write a copy of the venue file with the settings found (default: write no file)',
        '--overwrite': 'With --write: replace the file if it exists',
        '--json': 'Print one line of JSON: fields ok and findings; with --probe ok and results',
        ...stateDirFlag,
      })
      .action(run(async () => (await import('#src/cli/doctor/doctor.ts')).doctor)),

  alerts: (command, run) =>
    command
      .description('Test the targets to which the bot sends alerts')
      .command('test')
      .description('Send a test message to each target and print the result')
      .argument('<file>', 'File with alert settings, such as config/alerts.example.yaml')
      .flags({ '--json': 'Print one line of JSON per target' })
      .action(run(async () => (await import('#src/cli/operate/test-alerts.ts')).testAlerts)),

  replay: (command, run) =>
    command
      .description('Replay a recorded session and compare every request with the recording')
      .argument(
        '<tape>',
        'Tape that rungs run --record wrote; with --loose also a HAR file, or snapshots of undici (Node HTTP client)',
      )
      .argument('[strategy-files...]', 'Strategy files (default: the strategies on the tape)')
      .flags({
        '--loose':
          'Find requests on the tape by content, not by sequence, and print requests that are not on the tape',
        '--json': 'Print a last line of JSON with the fields requests, matched and divergence',
      })
      .action(run(async () => (await import('#src/cli/replay/replay.ts')).replay)),

  verify: (command, run) =>
    command
      .description(
        'Replay many tapes, for example after an upgrade, and report each request that differs from its recording',
      )
      .argument('<paths...>', 'Tapes, or folders of tapes')
      .flags({ '--json': 'Print one line of JSON per tape' })
      .action(run(async () => (await import('#src/cli/replay/verify.ts')).verify)),

  completion: (command, run) =>
    command
      .description('Print a shell completion script')
      .addArgument(new Argument('<shell>', 'Shell').choices(['bash', 'zsh', 'fish']))
      .action(run(async () => (await import('#src/cli/completion/completion.ts')).completion)),
}
