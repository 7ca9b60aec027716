import { Option } from 'commander'
import {
  countOf,
  feesOf,
  latencyOf,
  leverageOf,
  measuresOf,
  seedOf,
  workersOf,
} from '#src/cli/backtest/backtest-flags.ts'
import { keysOf } from '#src/core/objects/objects.ts'
import { measureNames } from '#src/research/sweep/measure-names.ts'
import { beginLoading } from '#src/cli/files/market-loading.ts'
import { historyOf, momentOf, spanOf } from '#src/cli/words/flags.ts'
import {
  choice,
  fillModel,
  interpreting,
  interpretSchemas,
  oneOf,
  repeated,
  type CommandTable,
  type TableCommand,
} from '../command-parts.ts'

/** Commands that work on historical or simulated market data. */
export const researchCommands: CommandTable = {
  backtest: (command, run) =>
    withMarketModel(command)
      .description('Backtest strategies on historical market data')
      .argument('<strategy-files...>', 'Strategy files, such as strategies/01-static-grid.yaml')
      .flags({
        '--json': 'Print one line of JSON per fill and the result as the last line',
        '--report <file>':
          'Write an HTML report with charts and tables, such as report.html (default: no report)',
        '--csv <folder>':
          'Write fills, equity, rungs and summary as CSV files into this folder (default: none)',
      })
      .action(
        run(async (_files, { market }) => {
          const loading = beginLoading(market, keptBytesMost)
          await interpretSchemas()
          const { backtest } = await import('#src/cli/backtest/backtest.ts')
          return (files, options) => backtest(files, options, loading)
        }),
      ),

  sweep: (command, run) =>
    withMarketModel(command)
      .description('Optimize strategy parameters, with out-of-sample validation')
      .argument('<strategy-file>', 'Strategy file, such as strategies/01-static-grid.yaml')
      .flags({
        '--vary <place=values>': [
          'Key and values to test, such as ladder.grid.levels=10..50:10 or rules.0.for=5m,10m; repeatable ' +
            '(default: the parameters of the file)',
          repeated,
        ],
        '--search <how>': choice(
          'Search method: all combinations (grid), a random sample, Bayesian search (tpe), or a grid with --steps (walk-forward)',
          ['grid', 'random', 'tpe', 'walk-forward'],
        ),
        '--tries <number>': [
          'With --search random or tpe: number of variants, combinations of values (default: 100)',
          countOf,
        ],
        '--steps <number>': [
          'Number of steps of a walk-forward optimization, that is periods (default: 1; 4 with --search walk-forward)',
          countOf,
        ],
        '--rank <measures>': (flag) =>
          choice(
            'Measure by which the variants are ranked; several such as profit,drawdown give a Pareto front',
            keysOf(measureNames),
          )(flag)
            .argParser(measuresOf)
            .default(['profit'], 'profit'),
        '--embargo <duration>': [
          'Time between the in-sample and the out-of-sample part, beside the time that the strategy looks back (default: no gap)',
          latencyOf,
        ],
        '--monte-carlo <number>': [
          'Number of shuffled paths, of random paths and of random start times on which the best variant runs (default: none)',
          countOf,
        ],
        '--workers <number>': [
          'Number of parallel backtests (default: as many as the work pays for, at most the number of CPU cores)',
          workersOf,
        ],
        '--out <file>':
          'File for the results of finished variants; a later sweep with this file does not compute them again (default: none)',
        '--queue <address>':
          'PostgreSQL server whose workers run the backtests, such as postgres://rungs@10.0.0.5/rungs (default: this process)',
        '--report <file>': 'Write an HTML report with heat maps and all variants (default: no report)',
        '--json': 'Print one line of JSON per variant and the conclusion as the last line',
      })
      .action(
        run(async (_file, { market }) => {
          const loading = beginLoading(market)
          await interpretSchemas()
          const { sweep } = await import('#src/cli/sweep/sweep.ts')
          return (files, options) => sweep(files, options, loading)
        }),
      ),

  worker: (command, run) =>
    command
      .description('Run the backtests of sweeps on this machine, until Ctrl-C')
      .requiredOption(
        '--queue <address>',
        'PostgreSQL server of the sweeps, such as postgres://rungs@10.0.0.5/rungs',
      )
      .flags({
        '--workers <number>': ['Number of parallel backtests (default: the number of CPU cores)', workersOf],
      })
      .action(run(async () => (await import('#src/cli/sweep/worker.ts')).worker)),

  report: (command, run) =>
    command
      .description('Write an HTML report from the output of rungs backtest --json')
      .argument('[file]', 'File with the output of rungs backtest --json')
      .flags({
        '--out <file>': 'HTML file to write (default: the name of the input file, with the ending .html)',
        '--schema': 'Print the JSON Schema of results and exit',
      })
      .action(run(async () => (await import('#src/cli/backtest/report.ts')).report)),

  market: (command, run) =>
    command
      .description('Inspect or convert a file of bars or trades')
      .argument('[file]', 'CSV or JSON file (also compressed), file that --write created, or tape')
      .flags({
        '--write <file>':
          'New file for the data: CSV if its name ends in .csv, .csv.gz or .csv.zst, otherwise a binary file. ' +
          'If the input is a tape: new folder for the data (default: none)',
        '--bars <interval>':
          'With --write: aggregate the data to bars of this length, such as 1m or 1h (default: no aggregation)',
        '--seeded <market>':
          'Read no file; simulate the prices of this market, as the embedded exchange does (default: none)',
        '--what <data>': oneOf(
          'With --seeded: trades, order books (depth) or listed values of a perpetual (futures) (default: trades)',
          ['trades', 'depth', 'futures'],
        ),
        '--for <duration>': ['With --seeded: time span, such as 8h or 7d (default: 1d)', spanOf],
        '--seed <text>': 'With --seeded: seed of the simulated prices (default: demo)',
        '--json': 'Print the result as one line of JSON',
      })
      .action(run(async () => (await import('#src/cli/market/market.ts')).market)),

  download: (command, run) =>
    command
      .description('Download the price history of a market from a venue into a market file; needs no API key')
      .argument('<market>', 'Market, such as BTC_PERP')
      .requiredOption('--venue <file>', 'Venue file such as config/paper.yaml, or address of a venue')
      .requiredOption('--from <time>', 'Start time, such as 2026-01-31 or 2026-01-31T14:30Z', momentOf)
      .flags({
        '--to <time>': ['End time, not included (default: now)', momentOf],
        '--what <history>': (flag) =>
          choice('Bars of prices, or funding rates of a perpetual', ['bars', 'funding'])(flag).argParser(
            historyOf,
          ),
        '--bars <interval>': 'With --what bars: length of a bar, such as 1m or 1h (default: 1m)',
      })
      .requiredOption(
        '--out <file>',
        'CSV file to write; it must not exist yet. An interrupted download leaves FILE.part, which the same command continues',
      )
      .flags({ '--json': 'Print the result as one line of JSON' })
      .action(run(interpreting(async () => (await import('#src/cli/download/download.ts')).download))),

  record: (command, run) =>
    command
      .description('Record public trades of markets from a venue; needs no API key')
      .flags({
        '--venue <file>': 'Venue file such as config/paper.yaml, or address of a venue (required)',
        '--market <name>': ['Market, such as BTC_PERP; repeatable (required)', repeated],
        '--for <duration>': ['Recording time, such as 30s, 10m or 8h (default: until Ctrl-C)', spanOf],
        '--out <file>': 'Tape to write; the file must not exist yet (required)',
        '--json': 'Print the number of recorded trades as one line of JSON',
        '--schema': 'Print the JSON Schema of a line of a tape and exit',
      })
      .action(run(interpreting(async () => (await import('#src/cli/record/record.ts')).record))),

  simulate: (command, run) =>
    command
      .description(
        'Test bot and embedded exchange in virtual time, with faults of network, disk and processes',
      )
      .flags({
        '--seed <number>': ['Seed of the first run; each later run uses the next number', seedOf, 1],
        '--faults <number>': [
          'Minimum number of faults; the command runs seeds until --faults and --lives are both reached',
          countOf,
          1000,
        ],
        '--lives <number>': [
          'Minimum number of bot processes; each restart of the bot is a new process',
          countOf,
          1,
        ],
        '--world <name>': [
          'World: how the exchange behaves where the specification leaves it open. With "all", each seed chooses a world',
          undefined,
          'all',
        ],
        '--strategy <file>': [
          'Strategy file; repeatable (default: the strategies of the package, and a grid that fills often)',
          repeated,
        ],
        '--only <faults>':
          'Run one seed with only the faults of this list; a failed run prints such a list (default: random faults)',
        '--flatten': 'After two minutes of each run, close all positions as rungs flatten does',
        '--json': 'Print one line of JSON per seed and the totals as the last line',
      })
      .action(run(async () => (await import('#src/cli/simulate/simulate.ts')).simulate)),
}

/** The size of a market file above which a backtest reads it in parts and does not keep it in memory. */
const keptBytesMost = 1_000_000_000

const named = '; SYMBOL=FILE also names the market'

/** The flags of backtest and sweep: data, period and market model. */
function withMarketModel(command: TableCommand) {
  return command
    .requiredOption('--market <file>', `File of bars or trades${named} of the file; repeatable`, repeated)
    .flags({
      '--funding <file>': [
        `File of funding rates of a perpetual${named}; repeatable (default: no funding)`,
        repeated,
      ],
      '--futures <file>': [
        `File of listed values of a perpetual${named}; repeatable (default: none)`,
        repeated,
      ],
      '--depth <file>': [`File of order books${named}; repeatable (default: none)`, repeated],
      '--signals <file>':
        'CSV file with the columns time,name,value, for strategies that read signals (default: no signals)',
      '--from <time>': [
        'Time at which trading starts, in UTC, such as 2026-01-31 (default: start of the file)',
        momentOf,
      ],
      '--to <time>': ['Time at which trading ends, in UTC, exclusive (default: end of the file)', momentOf],
      '--balance <number>': 'Start balance of the account (default: the balance in config/exchange.yaml)',
      '--fees <percents>': [
        'Maker and taker fee, such as 0.02%,0.055%; a rebate is negative (default: fees in config/exchange.yaml)',
        feesOf,
      ],
      '--venue <file>':
        'Venue file whose section markets has fees, fee tiers, minimums and price bands (default: those of config/exchange.yaml)',
      '--leverage <number>': [
        'Leverage of the account (default: that of the strategy file, else 1)',
        leverageOf,
      ],
      '--latency <duration>': (flag) =>
        new Option(flag, 'Time until a request has its effect at the venue')
          .argParser(latencyOf)
          .default(50, '50ms'),
      '--fill <model>': fillModel(['touch', 'through', 'queue']),
      '--seed <text>': ['Seed of the random numbers', undefined, 'past'],
    })
}
