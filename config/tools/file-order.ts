import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, the longest first. A clone has no times of an earlier run, and vitest would begin with the
 * largest files: a long one that begins last keeps one core at work while the others wait.
 */
export const longest = [
  'docs/commands',
  'runtime/processes/flatten-account',
  'fleet/take-over',
  'research/backtest/jump/random-strategies',
  'research/backtest/jump/naive',
  'research/recording/reproduced-runs',
  'browser/dashboard',
  'network/faults',
  'exchange/simulation/market-statistics',
  'fleet/operate',
  'properties/engine/engine',
  'research/simulate/crash-points',
  'mutants/killed',
  'runtime/processes/killed',
  'network/kills',
  'research/simulate/simulate',
  'properties/trading/trading',
  'properties/recorded/recorded',
  'foreign/oracle',
  'research/backtest/drawdown',
  'properties/engine/risk-gate',
  'properties/engine/exits',
  'cli/run/live-view',
  'runtime/compose/start-outage',
  'runtime/processes/restart',
  'runtime/processes/flatten-without-cancel',
  'stories/worlds',
  'cli/doctor/probe/probe-command',
  'cli/api/after-a-crash',
  'runtime/execute/refusals',
  'research/sweep/sweep',
  'research/queue/workers',
  'runtime/processes/run',
  'runtime/processes/echoed-secrets',
  'venues/whitebit/contract/beyond',
  'cli/run/watch-files',
  'research/backtest/jump/parity',
  'venues/whitebit/contract/spec',
  'golden/backtests',
  'runtime/processes/side-by-side',
  'operate/alerts/run',
  'exchange/http/server',
  'browser/report',
  'cli/backtest/backtest',
  'stories/fault-proxy',
  'fleet/membership',
  'runtime/account/connectivity',
  'core/disk/folder',
  'core/disk/atomic-write',
  'research/recording/differences',
  'browser/crowd',
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
