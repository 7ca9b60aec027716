import { Argument, type Command } from 'commander'
import { faultsOf, portOf, spanOf, speedOf, stateDirOption } from '#src/cli/words/flags.ts'

/** Commands for a bot that runs or ran. */
export function addBotCommands(program: Command, exit: (code: number) => void): void {
  program
    .command('run')
    .description('Trade strategies on the embedded exchange (paper money) or on a venue')
    .argument('<strategy-files...>', 'Strategy files, such as strategies/01-static-grid.yaml')
    .option(
      '--venue <file>',
      'Venue file, such as config/paper.yaml (default: an embedded exchange in the same process)',
    )
    .option('--for <duration>', 'Run time, such as 30s, 10m or 8h (default: until Ctrl-C)', spanOf)
    .option(
      '--live',
      'Allow real orders; the key "account" of the venue file must hold the fingerprint of the API key',
    )
    .option(
      '--speed <number>',
      'Speed of time at the venue, as a multiple of real time, 1 to 1000 (default: 60 without --venue, 1 with --venue)',
      speedOf,
    )
    .option(
      '--faults <percent>',
      'Share of the calls to the embedded exchange that get a simulated network fault, such as 30% (default: none)',
      faultsOf,
    )
    .option('--json', 'Print one line of JSON per event and a summary as the last line')
    .option(
      '--alerts <file>',
      'File with alert settings, such as config/alerts.example.yaml (default: no alerts)',
    )
    .option(
      '--record <file>',
      'Record all traffic between bot and venue in this new file (a tape), for rungs replay (default: no tape)',
    )
    .option(
      '--port <number>',
      'Port of the dashboard (default: the port of the last run, else a free port)',
      portOf,
    )
    .option(...stateDirOption)
    .action(async (files: string[], options) => {
      const { z } = await import('zod')
      z.config({ jitless: true })
      const { runBot } = await import('#src/cli/run/run-bot.ts')
      exit(await runBot(files, options))
    })

  const alerts = program.command('alerts').description('Test the targets to which the bot sends alerts')
  alerts
    .command('test')
    .description('Send a test message to each target and print the result')
    .argument('<file>', 'File with alert settings, such as config/alerts.example.yaml')
    .option('--json', 'Print one line of JSON per target')
    .action(async (file: string, options) => {
      const { testAlerts } = await import('#src/cli/operate/test-alerts.ts')
      exit(await testAlerts(file, options))
    })

  program
    .command('replay')
    .description('Replay a recorded session and compare every request with the recording')
    .argument(
      '<tape>',
      'Tape that rungs run --record wrote; with --loose also a HAR file, or snapshots of undici (Node HTTP client)',
    )
    .argument('[strategy-files...]', 'Strategy files (default: the strategies on the tape)')
    .option(
      '--loose',
      'Find requests on the tape by content, not by sequence, and print requests that are not on the tape',
    )
    .option('--json', 'Print a last line of JSON with the fields requests, matched and divergence')
    .action(async (tape: string, files: string[], options) => {
      const { replay } = await import('#src/cli/replay/replay.ts')
      exit(await replay(tape, files, options))
    })

  program
    .command('verify')
    .description(
      'Replay many tapes, for example after an upgrade, and report each request that differs from its recording',
    )
    .argument('<paths...>', 'Tapes, or folders of tapes')
    .option('--json', 'Print one line of JSON per tape')
    .action(async (paths: string[], options) => {
      const { verify } = await import('#src/cli/replay/verify.ts')
      exit(await verify(paths, options))
    })

  program
    .command('doctor')
    .description('Check the machine, the venue and the API key before the first run')
    .option('--venue <file>', 'Venue file (default: the embedded exchange)')
    .option(
      '--node-checksums <file>',
      'Compare the running Node with this SHASUMS256.txt of nodejs.org (default: no comparison)',
    )
    .option('--json', 'Print one line of JSON with the fields ok and findings')
    .option(...stateDirOption)
    .action(async (options) => {
      const { doctor } = await import('#src/cli/doctor/doctor.ts')
      exit(await doctor(options))
    })

  program
    .command('status')
    .description('Show orders, positions, profit and limits of a bot; if no bot runs, show the last state')
    .argument('[strategy]', 'Name of a strategy (default: all strategies)')
    .option('--json', 'Print the result as one line of JSON')
    .option(...stateDirOption)
    .action(async (strategy: string | undefined, options) => {
      const { status } = await import('#src/cli/operate/status.ts')
      exit(await status(strategy, options))
    })

  program
    .command('dashboard')
    .description('Print the dashboard link of a running bot; the link gives full control of the bot')
    .option(...stateDirOption)
    .action(async (options) => {
      const { dashboard } = await import('#src/cli/operate/dashboard.ts')
      exit(dashboard(options))
    })

  program
    .command('stop')
    .description(
      'Place no new entries; exits keep working. If you name a strategy, the bot also cancels its open entries',
    )
    .argument('[strategy]', 'Name of a strategy (default: all strategies)')
    .option(
      '--freeze',
      'Freeze exits as well: the bot neither places nor cancels stop losses, trailing stops and take profits',
    )
    .option('--reason <text>', 'Reason; the bot stores it in its journal (default: none)')
    .option(...stateDirOption)
    .action(async (strategy: string | undefined, options) => {
      const { stopBot } = await import('#src/cli/operate/operator-commands.ts')
      exit(await stopBot(strategy, options))
    })

  program
    .command('resume')
    .description('Resume trading after a stop, a halt or a pause')
    .argument('[strategy]', 'Name of a strategy (default: all strategies)')
    .option('--reason <text>', 'Reason; the bot stores it in its journal (default: none)')
    .option(...stateDirOption)
    .action(async (strategy: string | undefined, options) => {
      const { resumeBot } = await import('#src/cli/operate/operator-commands.ts')
      exit(await resumeBot(strategy, options))
    })

  program
    .command('resolve')
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
    .option(
      '--price <number>',
      'With the argument gone: price at which the position was closed (default: none)',
    )
    .option(
      '--amount <number>',
      'With the argument gone: closed amount (default: the whole position of the ladder)',
    )
    .option(...stateDirOption)
    .action(async (order: string, what: 'live' | 'dead' | 'gone', options) => {
      const { resolveOrder } = await import('#src/cli/operate/operator-commands.ts')
      exit(await resolveOrder(order, what, options))
    })

  program
    .command('why')
    .description('Explain why an order was sent, or why a strategy, a ladder or a rung has no order')
    .argument(
      '<what>',
      'Strategy (sgrid), ladder (sgrid.grid), rung (sgrid.grid.b1) or order (sgrid.grid.b1.1)',
    )
    .option('--json', 'Print the result as one line of JSON')
    .option(...stateDirOption)
    .action(async (what: string, options) => {
      const { why } = await import('#src/cli/why/why.ts')
      exit(await why(what, options))
    })
}
