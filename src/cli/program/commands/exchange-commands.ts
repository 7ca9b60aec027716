import { countOf } from '#src/cli/backtest/backtest-flags.ts'
import { faultsOf, portOf, speedOf } from '#src/cli/words/flags.ts'
import { choice, fillModel, interpreting, oneOf, repeated, type CommandTable } from '../command-parts.ts'

/** Commands for the embedded exchange, for the markets of a venue, and for single calls of its API or of the API of a venue. */
export const exchangeCommands: CommandTable = {
  exchange: (command, run) =>
    command
      .description(
        'Start the embedded exchange: an offline exchange with paper money, for this bot and for bots in any language',
      )
      .flags({
        '--port <number>': ['Port of the main address; 0 chooses a free port', portOf, 8787],
        '--eu-port <number>': [
          'Port of a second address, for a second region; 0 chooses a free port (default: the main port + 1)',
          portOf,
        ],
        '--profile <name>': choice('Serve only calls of the specification (spec), or all calls (full)', [
          'spec',
          'full',
        ]),
        '--spelling <name>': choice(
          'Order fields in answers: client_order_id (spec) or clientOrderId (camel)',
          ['spec', 'camel'],
        ),
        '--market <source>': [
          'Prices: still (do not move), seeded (simulated), or a file of bars or trades; repeatable (default: still)',
          repeated,
        ],
        '--fill <model>': fillModel(['through', 'touch', 'queue']),
        '--speed <number>': ['Speed of time, as a multiple of real time, 1 to 1000', speedOf, 1],
        '--faults <percent>': [
          'Share of calls that get a simulated network fault, such as 30% (default: none)',
          faultsOf,
        ],
        '--data <folder>': 'Store accounts, orders and trades in this folder (default: in memory)',
        '--world <file>':
          'World file: markets, accounts and start balances (default: config/exchange.yaml of the package)',
        '--venue <file>':
          'Venue file whose section markets has fees, fee tiers, minimums and price bands (default: those of the world file)',
        '--admin <port>': [
          'For tests: port of a second listener. It accepts requests that advance the clock or cancel a deposit (default: none)',
          portOf,
        ],
        '--seed <text>':
          'Seed of the random numbers for ids, codes, addresses and simulated prices (default: random)',
      })
      .action(run(async () => (await import('#src/cli/exchange/exchange.ts')).exchange)),

  markets: (command, run) =>
    command
      .description(
        'List the markets of a venue by volume and spread, as a list for for_each; needs no API key',
      )
      .requiredOption('--venue <file>', 'Venue file such as config/paper.yaml, or address of a venue')
      .flags({
        '--quote <currency>': 'Only markets with this quote currency, such as USDT (default: all)',
        '--type <type>': oneOf('Only spot markets, or only futures (default: both)', ['spot', 'futures']),
        '--min-volume <number>':
          'Minimum volume of the last 24 hours, in the quote currency, such as 1000000 (default: 0)',
        '--max-spread <percent>':
          'Maximum distance between best bid and best ask, such as 0.1%; one request per market (default: any)',
        '--top <number>': [
          'At most this number of markets, the largest volumes first (default: all)',
          countOf,
        ],
        '--json': 'Print the markets as one line of JSON',
      })
      .action(run(interpreting(async () => (await import('#src/cli/market/markets.ts')).markets))),

  /** The flags of `api` come from the contract: the command parses its own arguments. */
  api: (command, run) =>
    command
      .description('Call an API endpoint of a venue; without a name, list all endpoints')
      .usage('[NAME] [--field value ...]')
      .argument('[words...]')
      .allowUnknownOption()
      .helpOption(false)
      .action(run(async () => (await import('#src/cli/api/api.ts')).api)),
}
