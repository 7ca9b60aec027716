import { onExits } from '#src/strategy/schema/on-exit.ts'
import { foundChoices } from '#src/engine/events.ts'
import { kindNames } from '#src/strategy/draft/kind-names.ts'
import { faultsOf, portOf, spanOf, speedOf, stateDirFlag } from '#src/cli/words/flags.ts'
import { choice, interpreting, oneOf, type CommandTable } from '../command-parts.ts'
import { withFleetOptions } from './fleet-commands.ts'

/** Commands that create, check and run strategies. */
export const tradeCommands: CommandTable = {
  new: (command, run) =>
    command
      .description(
        'Create a strategy file; in a terminal, the command asks for each value without a flag, else it uses the defaults',
      )
      .argument('[file]', 'File to write; it must not exist yet (default: NAME.yaml)')
      .flags({
        '--kind <name>': oneOf('Kind of strategy (default: grid)', kindNames),
        '--market <name>': 'Market (default: BTC_PERP; if the venue does not have it, the first market)',
        '--money <number>':
          'Maximum cost of all entries, in the quote currency (default: 2000, or more if the smallest orders cost more)',
        '--levels <number>':
          'Number of rungs; for grid and market-making, on each side (default: 8; for dca 6, for market-making 3)',
        '--step <percent>':
          'Distance between rungs, such as 0.2% (default: 0.1%, or more if the fees or the tick require more)',
        '--dip <percent>':
          'Kind dip: the entries are placed after the price has fallen this far below the high of a day (default: 0%)',
        '--profit <percent>':
          'Kinds dip and dca: distance from the average entry to the take profit (default: 0.4%, or more if fees require it)',
        '--name <name>': 'Name of the strategy and first part of its order ids (default: an unused name)',
        '--venue <file>':
          'Venue file: read markets and prices from this venue (default: the embedded exchange)',
        '-y, --yes': 'Ask no questions; use the defaults for all values that have no flag',
      })
      .action(run(interpreting(async () => (await import('#src/cli/new/new-strategy.ts')).newStrategy))),

  check: (command, run) =>
    command
      .description('Validate a strategy and print the orders it would place')
      .argument('[strategy-file]', 'Strategy file, such as strategies/01-static-grid.yaml')
      .flags({
        '--json': 'Print one line of JSON with the fields ok, problems and rungs',
        '--world <file>': 'World file with market rules (default: config/exchange.yaml of the package)',
        '--venue <file>':
          'Venue file, such as config/paper.yaml: read market rules from this venue (default: none)',
        '--profile <name>': oneOf(
          'Check whether this profile of the embedded exchange has all that the strategy needs (default: none)',
          ['spec', 'full'],
        ),
        '--update-tests':
          'Write the computed values into the tests of the file, print each change, then check',
        '--schema': 'Print the JSON Schema of strategy files and exit',
      })
      .action(run(interpreting(async () => (await import('#src/cli/check/check.ts')).check))),

  run: (command, run) =>
    withFleetOptions(
      command
        .description('Trade strategies on the embedded exchange (paper money) or on a venue')
        .argument('<strategy-files...>', 'Strategy files, such as strategies/01-static-grid.yaml')
        .flags({
          '--venue <file>':
            'Venue file, such as config/paper.yaml (default: an embedded exchange in the same process)',
          '--for <duration>': ['Run time, such as 30s, 10m or 8h (default: until Ctrl-C)', spanOf],
          '--live':
            'Allow real orders; the key "account" of the venue file must hold the fingerprint of the API key',
          '--speed <number>': [
            'Speed of time at the venue, as a multiple of real time, 1 to 1000 (default: 60 without --venue, 1 with --venue)',
            speedOf,
          ],
          '--faults <percent>': [
            'Share of the calls to the embedded exchange that get a simulated network fault, such as 30% (default: none)',
            faultsOf,
          ],
          '--found-orders <choice>': choice(
            'What happens to open orders with ids of Rungs that the state folder does not know: place no entries beside ' +
              'them, or adopt, cancel or ignore them',
            [...foundChoices],
          ),
          '--on-exit <choice>': oneOf(
            'What happens at the end of the run: leave orders and positions at the venue, cancel open entries, or flatten: ' +
              'close all positions, too (default: the key on_exit of each file)',
            onExits,
          ),
          '-y, --yes':
            'Set the leverage that the files need at the venue, if the account has another one (default: refuse to start)',
          '--json': 'Print one line of JSON per event and a summary as the last line',
          '--verbose':
            'Off a terminal, print every event: accepted and cancelled orders, too, and repeated warnings',
          '--alerts <file>':
            'File with alert settings, such as config/alerts.example.yaml (default: no alerts)',
          '--record <file>':
            'Record all traffic between bot and venue in this new file (a tape), for rungs replay (default: no tape)',
          '--signals <file>':
            'Follow this file or pipe with signals: lines NAME VALUE, or time,name,value (default: none)',
          '--port <number>': [
            'Port of the dashboard (default: the port of the last run, else a free port)',
            portOf,
          ],
          ...stateDirFlag,
        }),
    ).action(run(interpreting(async () => (await import('#src/cli/run/run-bot.ts')).runBot))),
}
