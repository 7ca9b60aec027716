import { Argument, type Command } from 'commander'
import { faultsOf, portOf, spanOf, speedOf, stateDirOption } from './flags.ts'

/** What concerns a bot that runs, or ran. */
export function addBotCommands(program: Command, exit: (code: number) => void): void {
  program
    .command('run')
    .description('trade by strategies until Ctrl-C: on the embedded exchange, unless a venue is named')
    .argument('<files...>', 'strategies, such as strategies/01-static-grid.yaml')
    .option('--venue <file>', 'where to trade, such as config/paper.yaml (default: an exchange of its own)')
    .option('--for <span>', 'how long, such as 30s, 10m or 8h', spanOf)
    .option('--live', 'orders may leave this machine; the venue file must name the account, too')
    .option('--speed <number>', 'how fast time runs at the venue (default: 60 on its own, else 1)', speedOf)
    .option('--faults <share>', 'so many calls to its own exchange meet a fault, such as 30%', faultsOf)
    .option('--json', 'a line of JSON for each thing that happens, and a summary as the last one')
    .option('--alerts <file>', 'who is told of what: see config/alerts.example.yaml')
    .option('--record <file>', 'a tape of all that passes between bot and venue: see rungs replay')
    .option('--port <number>', 'where the dashboard is (default: where it was last, or any free one)', portOf)
    .option(...stateDirOption)
    .action(async (files: string[], options) => {
      const { z } = await import('zod')
      z.config({ jitless: true })
      const { runBot } = await import('./run-bot.ts')
      exit(await runBot(files, options))
    })

  const alerts = program
    .command('alerts')
    .description('telling people what they should know: see rungs run --alerts')
  alerts
    .command('test')
    .description('send one message to each target of a file, and say what came back')
    .argument('<file>', 'such as config/alerts.example.yaml')
    .option('--json', 'a line of JSON for each target')
    .action(async (file: string, options) => {
      const { testAlerts } = await import('./alerts.ts')
      exit(await testAlerts(file, options))
    })

  program
    .command('replay')
    .description('make the run of a tape again, dry: is each request the one that was recorded?')
    .argument('<tape>', 'from rungs run --record; with --loose also a HAR file, or snapshots of undici')
    .argument('[files...]', 'strategies (default: those on the tape)')
    .option('--loose', 'answer by content alone, and say what would have been sent')
    .option('--json', 'as the last line one of JSON: requests, matched, divergence')
    .action(async (tape: string, files: string[], options) => {
      const { replay } = await import('./replay.ts')
      exit(await replay(tape, files, options))
    })

  program
    .command('verify')
    .description('after an upgrade: do the runs on these tapes still come out as they did?')
    .argument('<paths...>', 'tapes, or folders of them')
    .option('--json', 'a line of JSON for each tape')
    .action(async (paths: string[], options) => {
      const { verify } = await import('./verify.ts')
      exit(await verify(paths, options))
    })

  program
    .command('doctor')
    .description('look at machine, venue and key before a bot does: what is found, what it means, what to do')
    .option('--venue <file>', 'the venue that is meant (default: the embedded exchange)')
    .option('--json', 'all of it as one line of JSON: ok, findings')
    .option(...stateDirOption)
    .action(async (options) => {
      const { doctor } = await import('./doctor.ts')
      exit(await doctor(options))
    })

  program
    .command('status')
    .description(
      'what the bot of a folder does: orders, positions, results, limits; without one, what was last',
    )
    .argument('[strategy]', 'only this one')
    .option('--json', 'all of it as one line of JSON')
    .option(...stateDirOption)
    .action(async (strategy: string | undefined, options) => {
      const { status } = await import('./status.ts')
      exit(await status(strategy, options))
    })

  program
    .command('dashboard')
    .description('the link to the page of the bot that runs: whoever has it sees all, and can stop the bot')
    .option(...stateDirOption)
    .action(async (options) => {
      const { dashboard } = await import('./dashboard.ts')
      exit(dashboard(options))
    })

  program
    .command('stop')
    .description(
      'stop entries; exits keep working. The entries at rest of one strategy are cancelled, those of a stop of everything stay',
    )
    .argument('[strategy]', 'only this one')
    .option('--freeze', 'stop exits, too: stops, trails and take profits are neither placed nor cancelled')
    .option('--reason <text>', 'why, for the journal')
    .option(...stateDirOption)
    .action(async (strategy: string | undefined, options) => {
      const { stopBot } = await import('./operate.ts')
      exit(await stopBot(strategy, options))
    })

  program
    .command('resume')
    .description('go on after a stop, a halt or a pause')
    .argument('[strategy]', 'only this one')
    .option('--reason <text>', 'why, for the journal')
    .option(...stateDirOption)
    .action(async (strategy: string | undefined, options) => {
      const { resumeBot } = await import('./operate.ts')
      exit(await resumeBot(strategy, options))
    })

  program
    .command('resolve')
    .description('end a doubt by the word of somebody who has looked: about an order, or about a position')
    .argument('<order>', 'its client_order_id; for gone a ladder, such as sgrid.grid')
    .addArgument(
      new Argument(
        '<what>',
        'whether the venue has the order; gone: others have closed what the ladder held',
      ).choices(['live', 'dead', 'gone']),
    )
    .requiredOption('--reason <text>', 'how you know, for the journal')
    .option('--price <number>', 'with gone: what the position was closed at')
    .option('--amount <number>', 'with gone: how much of it (default: all that the ladder holds)')
    .option(...stateDirOption)
    .action(async (order: string, what: 'live' | 'dead' | 'gone', options) => {
      const { resolveOrder } = await import('./operate.ts')
      exit(await resolveOrder(order, what, options))
    })

  program
    .command('why')
    .description('why an order was sent, or why a rung does not rest')
    .argument('<what>', 'an order such as sgrid.grid.1.1, or a rung such as sgrid.grid.1')
    .option('--json', 'all of it as one line of JSON')
    .option(...stateDirOption)
    .action(async (what: string, options) => {
      const { why } = await import('./why.ts')
      exit(await why(what, options))
    })
}
