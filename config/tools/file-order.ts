import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, the longest first. A clone has no times of an earlier run, and vitest would begin with the
 * largest files: a long one that begins last keeps one core at work while the others wait.
 */
export const longest = [
  // In the slow run.
  'research/simulate/simulate',
  'mutants/killed',
  'research/backtest/jump/random-strategies',
  'research/sweep/market-search',
  'research/simulate/crash-points',
  'network/kills',
  'research/simulate/order-life',
  'docs/strategy-pages',
  'properties/engine/engine',
  'fuzz/in-process',
  'research/sweep/luck/calibration',
  'network/faults',
  'fleet/take-over',
  'market/data/samples',
  'properties/engine/ladder',
  'exchange/simulation/market-statistics',
  'foreign/bots/bots',
  'foreign/oracle',
  'foreign/indicators/indicators',
  'properties/market',
  'properties/recorded/recorded',
  'runtime/processes/killed-amending',
  // In the others.
  'docs/commands',
  'browser/dashboard',
  'research/recording/processes/reproduced-runs',
  'fleet/operate',
  'stories/worlds',
  'research/sweep/search-sweep',
  'research/sweep/sweep',
  'runtime/processes/echoed-secrets',
  'research/queue/workers',
  'runtime/processes/restart',
  'cli/run/watch-files',
  'research/backtest/jump/naive',
  'runtime/processes/flatten-without-cancel',
  'cli/exchange/processes/faults',
  'runtime/processes/run',
  'runtime/processes/flatten-account',
  'stories/fault-proxy',
  'runtime/processes/refusals',
  'browser/report',
  'cli/run/processes/live-view',
  'exchange/http/processes/server',
  'cli/doctor/probe/processes/probe-command',
  'cli/processes/confined',
  'runtime/processes/start-outage',
  'stories/restarts',
  'venues/whitebit/contract/beyond',
  'cli/api/after-a-crash',
  'operate/alerts/processes/run',
  'stories/random-faults',
  'research/recording/differences',
  'runtime/processes/connectivity',
  'cli/logs/logs',
  'cli/download/download',
  'golden/backtests',
  'browser/crowd',
  'venues/whitebit/contract/spec',
  'research/backtest/market/funding',
  'research/backtest/run',
  'runtime/processes/found-orders',
  'properties/model',
  'operate/alerts/processes/telegram',
  'golden/journals',
  'runtime/processes/side-by-side',
  'fleet/simulated-take-overs',
  'exchange/simulation/simulated-history',
  'cli/run/processes/record-run',
  'research/backtest/jump/missed-wake-ups',
  'venues/whitebit/client/transport/http',
  'cli/run/processes/shutdown',
  'runtime/processes/killed',
  'cli/processes/launcher',
  'research/queue/queue-run',
  'fleet/membership',
  'exchange/simulation/price-walk',
  'properties/engine/risk-gate',
  'fuzz/socket',
  'runtime/processes/other-version',
  'browser/indicators',
].map((name) => `test/${name}.test.ts`)

/** The order in which the workers take the test files. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.indexOf(relative(this.ctx.config.root, moduleId))
      return place === -1 ? longest.length : place
    }
    const others = await super.sort(files)
    return others.toSorted((a, b) => rank(a) - rank(b))
  }
}
