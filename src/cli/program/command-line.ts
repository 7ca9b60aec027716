import { Argument, Command, CommanderError, Option } from 'commander'
import { kindNames } from '#src/strategy/draft/kind-names.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { suggestion } from '#src/core/yaml/suggestion.ts'
import { addBotCommands } from './bot-commands.ts'
import { addPastCommands } from './research-commands.ts'
import { arrangeHelp } from './help.ts'
import { faultsOf, linesOf, portOf, spanOf, speedOf, stateDirOption } from '#src/cli/words/flags.ts'
import packageJson from '../../../package.json' with { type: 'json' }

/** Runs a command line and returns its exit code. Each command loads its modules when it is chosen. */
export async function run(words: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.ok
  const program = new Command('rungs')
    .description(packageJson.description)
    .version(packageJson.version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .showHelpAfterError(false)
    .addHelpText('after', '\nFirst steps: "rungs new" creates a strategy file; "rungs run FILE" trades it.')

  program
    .command('exchange')
    .description('Start the embedded exchange')
    .option('--port <number>', 'Port of the main address; 0 chooses a free port', portOf, 8787)
    .option(
      '--eu-port <number>',
      'Port of a second address, for a second region; 0 chooses a free port (default: the main port + 1)',
      portOf,
    )
    .addOption(
      choice('--profile <name>', 'Serve only calls of the specification (spec), or all calls (full)', [
        'spec',
        'full',
      ]),
    )
    .addOption(
      choice(
        '--spelling <name>',
        'Order fields in answers: client_order_id (spec) or clientOrderId (camel)',
        ['spec', 'camel'],
      ),
    )
    .option(
      '--market <source>',
      'Prices: still (do not move), seeded (simulated), or a file of bars or trades; repeatable (default: still)',
      (word: string, words: string[] | undefined) => [...(words ?? []), word],
    )
    .addOption(
      choice(
        '--fill <model>',
        'Trades that fill an open order. through: beyond its price; touch: at its price; queue: at its price after other orders',
        ['through', 'touch', 'queue'],
      ),
    )
    .option('--speed <number>', 'Speed of time, as a multiple of real time, 1 to 1000', speedOf, 1)
    .option(
      '--faults <percent>',
      'Share of calls that get a simulated network fault, such as 30% (default: none)',
      faultsOf,
    )
    .option('--data <folder>', 'Store accounts, orders and trades in this folder (default: in memory)')
    .option(
      '--world <file>',
      'World file: markets, accounts and start balances (default: config/exchange.yaml of the package)',
    )
    .option(
      '--admin <port>',
      'For tests: port of a second listener. It accepts requests that advance the clock or cancel a deposit (default: none)',
      portOf,
    )
    .option(
      '--seed <text>',
      'Seed of the random numbers for ids, codes, addresses and simulated prices (default: random)',
    )
    .action(async (options) => {
      const { exchange } = await import('#src/cli/exchange/exchange.ts')
      exitCode = await exchange(options)
    })

  program
    .command('check')
    .description('Validate a strategy and print the orders it would place')
    .argument('[strategy-file]', 'Strategy file, such as strategies/01-static-grid.yaml')
    .option('--json', 'Print one line of JSON with the fields ok, problems and rungs')
    .option('--world <file>', 'World file with market rules (default: config/exchange.yaml of the package)')
    .option(
      '--venue <file>',
      'Venue file, such as config/paper.yaml: read market rules from this venue (default: none)',
    )
    .addOption(
      new Option(
        '--profile <name>',
        'Check whether this profile of the embedded exchange has all that the strategy needs (default: none)',
      ).choices(['spec', 'full']),
    )
    .option('--schema', 'Print the JSON Schema of strategy files and exit')
    .action(async (file: string | undefined, options) => {
      // The process ends too early for compiled schemas to pay.
      const { z } = await import('zod')
      z.config({ jitless: true })
      const { check } = await import('#src/cli/check/check.ts')
      exitCode = await check(file, options)
    })

  program
    .command('new')
    .description(
      'Create a strategy file; in a terminal, the command asks for each value without a flag, else it uses the defaults',
    )
    .argument('[file]', 'File to write; it must not exist yet (default: NAME.yaml)')
    .addOption(new Option('--kind <name>', 'Kind of strategy (default: grid)').choices(kindNames))
    .option('--market <name>', 'Market (default: BTC_PERP; if the venue does not have it, the first market)')
    .option(
      '--money <number>',
      'Maximum cost of all entries, in the quote currency (default: 2000, or more if the smallest orders cost more)',
    )
    .option(
      '--levels <number>',
      'Number of rungs; for grid and market-making, on each side (default: 8; for dca 6, for market-making 3)',
    )
    .option(
      '--step <percent>',
      'Distance between rungs, such as 0.2% (default: 0.1%, or more if the fees or the tick require more)',
    )
    .option(
      '--dip <percent>',
      'Kind dip: the entries are placed after the price has fallen this far below the high of a day (default: 0%)',
    )
    .option(
      '--profit <percent>',
      'Kinds dip and dca: distance from the average entry to the take profit (default: 0.4%, or more if fees require it)',
    )
    .option('--name <name>', 'Name of the strategy and first part of its order ids (default: an unused name)')
    .option(
      '--venue <file>',
      'Venue file: read markets and prices from this venue (default: the embedded exchange)',
    )
    .option('-y, --yes', 'Ask no questions; use the defaults for all values that have no flag')
    .action(async (file: string | undefined, options) => {
      const { z } = await import('zod')
      z.config({ jitless: true })
      const { newStrategy } = await import('#src/cli/new/new-strategy.ts')
      exitCode = await newStrategy(file, options)
    })

  program
    .command('market')
    .description('Inspect or convert a file of bars or trades')
    .argument('[file]', 'CSV or JSON file (also compressed), file that --write created, or tape')
    .option(
      '--write <file>',
      'New file for the data: CSV if its name ends in .csv, .csv.gz or .csv.zst, otherwise a binary file. ' +
        'If the input is a tape: new folder for the data (default: none)',
    )
    .option(
      '--bars <interval>',
      'With --write: aggregate the data to bars of this length, such as 1m or 1h (default: no aggregation)',
    )
    .option(
      '--seeded <market>',
      'Read no file; simulate the prices of this market, as the embedded exchange does (default: none)',
    )
    .option('--for <duration>', 'With --seeded: time span, such as 8h or 7d (default: 1d)', spanOf)
    .option('--seed <text>', 'With --seeded: seed of the simulated prices (default: demo)')
    .option('--json', 'Print the result as one line of JSON')
    .action(async (file: string | undefined, options) => {
      const { market } = await import('#src/cli/market/market.ts')
      exitCode = await market(file, options)
    })

  program
    .command('logs')
    .description('Show the event log of a bot')
    .option('-f, --follow', 'Wait for new events until Ctrl-C')
    .option(
      '-n, --lines <number>',
      'How many of the last lines to print, or the word all (default: all; with -f: 10)',
      linesOf,
    )
    .option('--strategy <name>', 'Only events of this strategy (default: all)')
    .option('--market <name>', 'Only events of this market, such as BTC_PERP (default: all)')
    .option(
      '--order <id>',
      'Only events of this order (sgrid.grid.b1.1), or of all orders of a rung (sgrid.grid.b1) (default: all)',
    )
    .addOption(
      choice(
        '--level <name>',
        'Only events of this level and of higher levels',
        ['debug', 'info', 'warn', 'error'],
        'info',
      ),
    )
    .option(
      '--type <name>',
      'Only events of this type, such as fill or order-*; repeatable (default: all)',
      (word: string, words: string[] | undefined) => [...(words ?? []), word],
    )
    .option(
      '--since <time>',
      'Only events after a time: an age (10m, 2h, 3d) or a date (2026-11-21T14:00Z) (default: all)',
    )
    .option('--json', 'Print the lines of the log files unchanged, as JSON')
    .option(...stateDirOption)
    .action(async (options) => {
      const { logs } = await import('#src/cli/logs/logs.ts')
      exitCode = await logs(options)
    })

  program
    .command('report')
    .description('Write an HTML report from the output of rungs backtest --json')
    .argument('[file]', 'File with the output of rungs backtest --json')
    .option('--out <file>', 'HTML file to write (default: the name of the input file, with the ending .html)')
    .option('--schema', 'Print the JSON Schema of results and exit')
    .action(async (file: string | undefined, options) => {
      const { report } = await import('#src/cli/backtest/report.ts')
      exitCode = await report(file, options)
    })

  addBotCommands(program, (code) => {
    exitCode = code
  })
  addPastCommands(program, (code) => {
    exitCode = code
  })

  program
    .command('completion')
    .description('Print a shell completion script')
    .addArgument(new Argument('<shell>', 'Shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { completion } = await import('#src/cli/completion/completion.ts')
      exitCode = completion(shell, program)
    })

  // The flags of `api` come from the contract: the command parses its own arguments.
  program
    .command('api')
    .description('Call an API endpoint of a venue; without a name, list all endpoints')
    .usage('[NAME] [--field value ...]')
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: string[]) => {
      const { api } = await import('#src/cli/api/api.ts')
      exitCode = await api(words)
    })

  arrangeHelp(program)
  const [first, about] = words
  const names = program.commands.map((command) => command.name())
  if (first === 'help' && about !== undefined && !names.includes(about)) {
    throw new BotError('USAGE', { seen: `unknown command '${about}'${suggestion(about, names)}` })
  }
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.helpDisplayed' || error.code === 'commander.version') return exitCodes.ok
    // Commander has printed it already, also where a command is missing.
    if (error.code === 'commander.help') return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    throw new BotError('USAGE', {
      seen: oneLine(error.message),
      fix: `See ${commandIn(program, words)} --help`,
      cause: error,
    })
  }
  return exitCode
}

/** The command that was meant, with the one below it: `rungs alerts test`. */
function commandIn(program: Command, words: readonly string[]): string {
  let [command, path] = [program, 'rungs']
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) break
    ;[command, path] = [next, `${path} ${word}`]
  }
  return path
}

function choice(flags: string, about: string, values: string[], usual = values[0]): Option {
  return new Option(flags, about).choices(values).default(usual)
}

/** `error: unknown command 'exchnage'` and the guess on the line after it, as one sentence; of choices the likeliest. */
function oneLine(message: string): string {
  const line = message.replace(/^error: /, '').replace(/\s*\(Did you mean (.+)\?\)$/, ', did you mean $1?')
  const [, begin, text = '', of = '', choices] =
    /^(?:command-)?(.*'([^']*)' is invalid)( for argument '\w+')?\. Allowed choices are (.+)\.$/.exec(line) ??
    []
  if (begin === undefined || choices === undefined) return line
  return `${begin}${of}${suggestion(text, choices.split(', '))}; allowed choices are ${choices}`
}
