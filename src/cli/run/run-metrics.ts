import type { Dashboard } from '#src/operate/dashboard/dashboard.ts'
import { limitRowsOf } from '#src/operate/dashboard/reasons.ts'
import type { Sample } from '#src/operate/metrics/metric-families.ts'
import { gaugesOf } from '#src/operate/metrics/gauges.ts'
import { ProcessMetrics } from '#src/operate/metrics/process-metrics.ts'
import { Registry } from '#src/operate/metrics/registry.ts'
import { timedJournal } from '#src/operate/metrics/timers.ts'
import { packageVersion } from '#src/cli/program/package-version.ts'
import type { Ground } from '#src/runtime/compose/trading.ts'

/** All metrics of a run: counted in the registry as things happen, and written on request. */
export class RunMetrics {
  readonly registry = new Registry()
  readonly #process = new ProcessMetrics(packageVersion)
  /** In a fleet, all metrics have the account as a label. */
  account: string | undefined

  /** For the client: a call was sent. */
  readonly waited = (lane: string, waitedMs: number): void =>
    this.registry.observe('rungs_lane_wait_seconds', { lane }, waitedMs / 1000)

  journalAround(inner: Ground['journal']): Ground['journal'] {
    return { machine: inner.machine, ...timedJournal(inner, this.registry) }
  }

  page(dashboard: Dashboard, more: readonly Sample[]): string {
    // The tables may show limits of a moment ago.
    const limits = [...dashboard.known().values()].flatMap((each) => limitRowsOf(dashboard.state, each))
    const samples = [...this.#process.samples(), ...gaugesOf(dashboard.tables(), limits), ...more]
    return this.registry.text(samples, this.account === undefined ? {} : { account: this.account })
  }
}
