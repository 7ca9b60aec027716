import { Argument, Command, CommanderError, Option } from 'commander'
import { kindNames } from '#src/draft/kind-names.ts'
import { BotError } from '#src/errors/bot-error.ts'
import { exitCodes } from '#src/errors/catalogue.ts'
import { suggestion } from '#src/settings/did-you-mean.ts'
import { addBotCommands } from './bot-commands.ts'
import { addPastCommands } from './past-commands.ts'
import { faultsOf, linesOf, portOf, spanOf, speedOf, stateDirOption } from './flags.ts'
import packageJson from '../../package.json' with { type: 'json' }

/** From words of the command line to an exit code. What a command needs is loaded once it is chosen. */
export async function run(words: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.ok
  const program = new Command('rungs')
    .description(packageJson.description)
    .version(packageJson.version, '-V, --version')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .showHelpAfterError(false)
    .addHelpText(
      'after',
      '\nFirst steps: npx rungs new writes a strategy of your own, npx rungs run FILE trades by it with paper money.',
    )

  program
    .command('exchange')
    .description('start the embedded exchange on this machine')
    .option('--port <number>', 'port of the main address, 0 for any free one', portOf, 8787)
    .option(
      '--eu-port <number>',
      'port of the second address, 0 for any free one (default: the next one)',
      portOf,
    )
    .addOption(choice('--profile <name>', 'what is served', ['spec', 'full']))
    .addOption(choice('--spelling <name>', 'how answers write names of orders', ['spec', 'camel']))
    .option(
      '--market <what>',
      'how prices move: still, seeded, or a CSV file of bars or trades; may be given again (default: still)',
      (word: string, words: string[] | undefined) => [...(words ?? []), word],
    )
    .addOption(
      choice(
        '--fill <model>',
        'when prices of a file fill an order that rests: they touch it, go through it, or a queue ahead of it has traded',
        ['through', 'touch', 'queue'],
      ),
    )
    .option('--speed <number>', 'how many times as fast as on your clock time runs there', speedOf, 1)
    .option('--faults <share>', 'so many of the calls meet a fault on their way, such as 30%', faultsOf)
    .option('--data <folder>', 'keep the world there (default: in memory)')
    .option('--world <file>', 'how the world begins (default: config/exchange.yaml of the package)')
    .option('--admin <port>', 'one more listener, to turn the clock and cancel deposits', portOf)
    .option('--seed <text>', 'what ids, codes, addresses and moving markets are made from (default: chance)')
    .action(async (options) => {
      const { exchange } = await import('./exchange.ts')
      exitCode = await exchange(options)
    })

  program
    .command('check')
    .description('look into a strategy: every mistake, or every rung as it would be placed')
    .argument('[file]', 'a strategy, such as strategies/01-static-grid.yaml')
    .option('--json', 'one line of JSON: ok, problems, rungs')
    .option(
      '--world <file>',
      'where the rules of the markets are (default: config/exchange.yaml of the package)',
    )
    .option('--venue <file>', 'ask a venue for the rules of its markets instead, such as config/paper.yaml')
    .addOption(
      new Option('--profile <name>', 'hold it to what the embedded exchange serves').choices([
        'spec',
        'full',
      ]),
    )
    .option('--schema', 'print the JSON Schema of strategy files, for editors')
    .action(async (file: string | undefined, options) => {
      // The process ends too early for compiled schemas to pay.
      const { z } = await import('zod')
      z.config({ jitless: true })
      const { check } = await import('./check.ts')
      exitCode = await check(file, options)
    })

  program
    .command('new')
    .description(
      'write a strategy of your own: a few questions on a terminal, flags and what is usual elsewhere',
    )
    .argument('[file]', 'where it goes, and must not be yet (default: NAME.yaml)')
    .addOption(new Option('--kind <name>', 'what kind of strategy').choices(kindNames))
    .option('--market <name>', 'such as BTC_PERP')
    .option('--money <number>', 'all that its entries may cost, such as 2000')
    .option('--levels <number>', 'how many rungs; of a grid and of market making on each side')
    .option('--step <percent>', 'how far they stand apart, such as 0.2%')
    .option('--dip <percent>', 'with dip: how far the price must have fallen first')
    .option('--profit <percent>', 'with dip and dca: how far above the average entry all is sold')
    .option('--name <name>', 'the id of each of its orders begins with it')
    .option(
      '--venue <file>',
      'for the markets and prices of a venue (default: those of the embedded exchange)',
    )
    .option('-y, --yes', 'ask nothing: what no flag says is as usual')
    .action(async (file: string | undefined, options) => {
      const { z } = await import('zod')
      z.config({ jitless: true })
      const { newStrategy } = await import('./new.ts')
      exitCode = await newStrategy(file, options)
    })

  program
    .command('market')
    .description(
      'look into a file of bars or trades: what it holds, what is odd about it, what was done about that',
    )
    .argument('[file]', 'CSV or JSON, as it is or packed, what --write has written, or a tape')
    .option(
      '--write <file>',
      'write it anew: as CSV (.csv, .csv.gz, .csv.zst), or in a form read far faster; of a tape, a folder of CSV',
    )
    .option('--bars <length>', 'write bars of that length, such as 1m or 1h')
    .option('--seeded <market>', 'instead of a file, what the embedded exchange would trade there by itself')
    .option('--for <span>', 'how long that is, such as 8h or 7d (default: 1d)', spanOf)
    .option('--seed <text>', 'what it is made from (default: demo)')
    .option('--json', 'one line of JSON')
    .action(async (file: string | undefined, options) => {
      const { market } = await import('./market.ts')
      exitCode = await market(file, options)
    })

  program
    .command('logs')
    .description('what a bot has said, for people: one line an event')
    .option('-f, --follow', 'go on with what it says from now on, until Ctrl-C')
    .option('-n, --lines <number>', 'only so many, the last ones, or all (default: all; with -f 10)', linesOf)
    .option('--strategy <name>', 'only of this strategy')
    .option('--market <name>', 'only of this market, such as BTC_PERP')
    .option('--order <id>', 'only of this order, or of a rung: sgrid.grid.3 is all of its orders')
    .addOption(
      choice('--level <name>', 'this level and those above it', ['debug', 'info', 'warn', 'error'], 'info'),
    )
    .option(
      '--type <name>',
      'only these events, such as fill or order-*; may be given again',
      (word: string, words: string[] | undefined) => [...(words ?? []), word],
    )
    .option('--since <when>', 'only later ones: 10m, 2h, 3d, or a time such as 2026-11-21T14:00Z')
    .option('--json', 'the lines as they stand in the files')
    .option(...stateDirOption)
    .action(async (options) => {
      const { logs } = await import('./logs.ts')
      exitCode = await logs(options)
    })

  program
    .command('report')
    .description('the page of a result that rungs backtest --json printed')
    .argument('[file]', 'where that was kept')
    .option('--out <file>', 'where the page goes (default: beside the file)')
    .option('--schema', 'print the JSON Schema of results')
    .action(async (file: string | undefined, options) => {
      const { report } = await import('./report.ts')
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
    .description('a script by which a shell completes commands, flags, files and endpoints')
    .addArgument(new Argument('<shell>', 'which shell reads it').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { completion } = await import('./completion.ts')
      exitCode = completion(shell, program)
    })

  // Its flags come from the contract, so that it reads its own words.
  program
    .command('api')
    .description('call one endpoint: rungs api lists them, rungs api NAME --help explains one')
    .usage('[NAME] [--field value ...]')
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: string[]) => {
      const { api } = await import('./api.ts')
      exitCode = await api(words)
    })

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
