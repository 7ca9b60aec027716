import { Option, type Command } from 'commander'
import { feesOf, latencyOf, momentOf } from './backtest-flags.ts'

/** What concerns markets of the past. */
export function addPastCommands(program: Command, exit: (code: number) => void): void {
  program
    .command('backtest')
    .description('what would have come of strategies in a market of the past')
    .argument('<files...>', 'strategies, such as strategies/01-static-grid.yaml')
    .requiredOption(
      '--market <file>',
      'bars or trades of a market, or SYMBOL=FILE; may be given again',
      (word: string, words: string[] | undefined) => [...(words ?? []), word],
    )
    .option('--from <when>', 'where trading begins, such as 2026-01-31 (default: with the file)', momentOf)
    .option('--to <when>', 'where it ends (default: with the file)', momentOf)
    .option('--balance <money>', 'what the account begins with (default: that of the packaged world)')
    .option(
      '--fees <shares>',
      'maker and taker, such as 0.02%,0.055% (default: of the packaged markets)',
      feesOf,
    )
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
    .option('--json', 'a line of JSON for each fill, and the result as the last one')
    .action(async (files: string[], options) => {
      const { z } = await import('zod')
      z.config({ jitless: true })
      const { backtest } = await import('./backtest.ts')
      exit(await backtest(files, options))
    })
}
