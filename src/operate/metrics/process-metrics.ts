import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Sample } from './metric-families.ts'

const quantiles = [0.5, 0.9, 0.99, 1] as const
const sampleEveryMs = 20

/** Resource use of the process. Measuring starts with the first scrape. */
export class ProcessMetrics {
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

  /** The monitor measures the distance of its ticks: the part above the resolution is delay. */
  *#delays(): Iterable<Sample> {
    if (this.#delay === undefined) {
      this.#delay = monitorEventLoopDelay({ resolution: sampleEveryMs })
      this.#delay.enable()
      return
    }
    if (this.#delay.count === 0) return
    for (const quantile of quantiles) {
      const seconds = Math.max(0, this.#delay.percentile(quantile * 100) / 1e9 - sampleEveryMs / 1000)
      yield {
        name: 'rungs_event_loop_delay_seconds',
        labels: { quantile: String(quantile) },
        value: seconds,
      }
    }
    this.#delay.reset()
  }
}
