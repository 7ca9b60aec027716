import type { BotParts } from '#src/bot/bot.ts'
import type { Desk } from '#src/desk/desk.ts'
import type { Engine } from '#src/engine/engine.ts'
import { marginsOf } from '#src/engine/margins.ts'
import type { Step } from '#src/engine/turn.ts'
import type { BotEvent } from '#src/logs/events.ts'
import { countEvents } from '#src/metrics/counting.ts'
import type { Sample } from '#src/metrics/families.ts'
import { gaugesOf } from '#src/metrics/gauges.ts'
import { ProcessWatch } from '#src/metrics/process.ts'
import { Registry } from '#src/metrics/registry.ts'
import { commitsTimed, engineTimed } from '#src/metrics/timing.ts'
import { packageVersion } from './package-version.ts'
import type { Ground } from '#src/runtime/trading.ts'

/** All that is measured of a run: counted as it happens, and written down when somebody asks. */
export class RunMetrics {
  readonly registry = new Registry()
  readonly #process = new ProcessWatch(packageVersion)

  count(events: readonly BotEvent[]): void {
    countEvents(this.registry, events)
  }

  /** For the client: a call has left. */
  readonly waited = (lane: string, waitedMs: number): void =>
    this.registry.observe('rungs_lane_wait_seconds', { lane }, waitedMs / 1000)

  engineAround(inner: Engine): BotParts<Step>['engine'] {
    return engineTimed(inner, this.registry)
  }

  journalAround(inner: Ground['journal']): Ground['journal'] {
    return { machine: inner.machine, ...commitsTimed(inner, this.registry) }
  }

  page(desk: Desk, more: readonly Sample[]): string {
    // The tables may show limits as they were a moment ago.
    const limits = [...desk.known().values()].flatMap(({ name, strategy }) =>
      marginsOf(desk.state, strategy).map(({ limit, used, most }) => ({ strategy: name, limit, used, most })),
    )
    return this.registry.text([...this.#process.samples(), ...gaugesOf(desk.tables(), limits), ...more])
  }
}
