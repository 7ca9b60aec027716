import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Sample } from './metric-families.ts'

const quantiles = [0.5, 0.9, 0.99, 1] as const
const lookEveryMs = 20

/** What the process itself takes. Whoever never asks pays for nothing. */
export class ProcessWatch {
  readonly #version: string
  #delay: ReturnType<typeof monitorEventLoopDelay> | undefined

  constructor(version: string) {
    this.#version = version
  }

  *samples(): Iterable<Sample> {
    const none = {}
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    const build = { version: this.#version, node: process.versions.node }
    yield { name: 'rungs_build_info', labels: build, value: 1 }
    const startedAt = (performance.timeOrigin / 1000).toFixed(3)
    yield { name: 'process_start_time_seconds', labels: none, value: startedAt }
    yield { name: 'process_cpu_seconds_total', labels: none, value: (user + system) / 1e6 }
    yield { name: 'process_resident_memory_bytes', labels: none, value: rss }
    yield { name: 'nodejs_heap_size_used_bytes', labels: none, value: heapUsed }
    yield* this.#delays()
  }

  /** It tells how long its ticks were apart: what is beyond their usual distance is delay. */
  *#delays(): Iterable<Sample> {
    if (this.#delay === undefined) {
      this.#delay = monitorEventLoopDelay({ resolution: lookEveryMs })
      this.#delay.enable()
      return
    }
    if (this.#delay.count === 0) return
    for (const quantile of quantiles) {
      const seconds = Math.max(0, this.#delay.percentile(quantile * 100) / 1e9 - lookEveryMs / 1000)
      yield {
        name: 'rungs_event_loop_delay_seconds',
        labels: { quantile: String(quantile) },
        value: seconds,
      }
    }
    this.#delay.reset()
  }
}
