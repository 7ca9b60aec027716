import { Option, type Command } from 'commander'
import { countOf, feesOf, latencyOf, leverageOf, momentOf, workersOf } from './backtest-flags.ts'
import { spanOf } from './flags.ts'
import { beginLoading } from './market-loading.ts'

/** Of a market file: a backtest reads one that is larger as it goes by, and does not keep it. */
const keptBytesMost = 1_000_000_000

/** What concerns markets of the past. */
export function addPastCommands(program: Command, exit: (code: number) => void): void {
  program
    .command('record')
    .description(
      'take down each trade of some markets on a tape, until Ctrl-C; without a key and without an order',
    )
    .option('--venue <file>', 'a venue file such as config/paper.yaml, or an address')
    .option(
      '--market <name>',
      'such as BTC_PERP; may be given again',
      (word: string, words: string[] | undefined) => [...(words ?? []), word],
    )
    .option('--for <span>', 'how long, such as 30s, 10m or 8h', spanOf)
    .option('--out <file>', 'the tape, which must not be there yet')
    .option('--json', 'what was taken down, as a line of JSON')
    .option('--schema', 'print the JSON Schema of a line of a tape')
    .action(async (options) => {
      const { z } = await import('zod')
      z.config({ jitless: true })
      const { record } = await import('./record.ts')
      exit(await record(options))
    })

  inThePast(program.command('backtest'))
    .description('what would have come of strategies in a market of the past')
    .argument('<files...>', 'strategies, such as strategies/01-static-grid.yaml')
    .option('--json', 'a line of JSON for each fill, and the result as the last one')
    .option('--report <file>', 'one page of HTML with charts and tables, such as report.html')
    .action(async (files: string[], options) => {
      const loading = beginLoading(options.market, keptBytesMost)
      const { z } = await import('zod')
      z.config({ jitless: true })
      const { backtest } = await import('./backtest.ts')
      exit(await backtest(files, options, loading))
    })

  inThePast(program.command('sweep'))
    .description('which values of a strategy would have done best, and whether that is worth anything')
    .argument('<file>', 'a strategy, such as strategies/01-static-grid.yaml')
    .requiredOption(
      '--vary <place=values>',
      'such as ladder.grid.levels=10..50:10, or rules.0.for=5m,10m; may be given again',
      (word: string, words: string[] | undefined) => [...(words ?? []), word],
    )
    .addOption(
      new Option('--search <how>', 'every combination, some drawn by chance, or step by step through time')
        .choices(['grid', 'random', 'walk-forward'])
        .default('grid'),
    )
    .option('--tries <number>', 'how many a random search draws', countOf, 100)
    .option('--steps <number>', 'how many steps a walk forward takes', countOf, 4)
    .addOption(
      new Option('--rank <measure>', 'what is best')
        .choices(['profit', 'calmar', 'sharpe', 'sortino'])
        .default('profit'),
    )
    .option(
      '--workers <number>',
      'how many backtests at once (default: as many as there are cores)',
      workersOf,
    )
    .option('--out <file>', 'keep what is found out there, and go on from what it has')
    .option('--report <file>', 'a page with heat maps and all variants')
    .option('--json', 'a line of JSON for each variant, and what it comes to as the last one')
    .action(async (file: string, options) => {
      const loading = beginLoading(options.market)
      const { z } = await import('zod')
      z.config({ jitless: true })
      const { sweep } = await import('./sweep.ts')
      exit(await sweep(file, options, loading))
    })
}

/** Where, when and how strategies trade in the past. */
function inThePast(command: Command) {
  return command
    .requiredOption(
      '--market <file>',
      'bars or trades of a market, or SYMBOL=FILE; may be given again',
      (word: string, words: string[] | undefined) => [...(words ?? []), word],
    )
    .option(
      '--funding <file>',
      'the funding that a perpetual paid, or SYMBOL=FILE; may be given again',
      (word: string, words: string[] | undefined) => [...(words ?? []), word],
    )
    .option('--from <when>', 'where trading begins, such as 2026-01-31 (default: with the file)', momentOf)
    .option('--to <when>', 'where it ends: what is earlier counts (default: with the file)', momentOf)
    .option('--balance <money>', 'what the account begins with (default: that of the packaged world)')
    .option(
      '--fees <shares>',
      'maker and taker, such as 0.02%,0.055%; a rebate is below zero: -0.01%,0.05% (default: of the packaged markets)',
      feesOf,
    )
    .option('--leverage <times>', 'of the account, as set at the venue (default: 1)', leverageOf)
    .option('--latency <span>', 'how long a request takes to the venue', latencyOf, 50)
    .addOption(
      new Option(
        '--fill <model>',
        'which trades fill an order that rests: at its price, beyond it, or behind a queue',
      )
        .choices(['touch', 'through', 'queue'])
        .default('through'),
    )
    .option('--seed <text>', 'what chance is made from', 'past')
}
