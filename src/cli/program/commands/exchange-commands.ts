import type { Command } from 'commander'
import { faultsOf, portOf, speedOf } from '#src/cli/words/flags.ts'
import { choice, repeated, type Exit } from '../command-parts.ts'

/** Commands for the embedded exchange, and for single calls of its API or of the API of a venue. */
export const exchangeCommands = [addExchange, addApi]

function addExchange(program: Command, exit: Exit): void {
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
      repeated,
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
      exit(await exchange(options))
    })
}

/** The flags of `api` come from the contract: the command parses its own arguments. */
function addApi(program: Command, exit: Exit): void {
  program
    .command('api')
    .description('Call an API endpoint of a venue; without a name, list all endpoints')
    .usage('[NAME] [--field value ...]')
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: string[]) => {
      const { api } = await import('#src/cli/api/api.ts')
      exit(await api(words))
    })
}
