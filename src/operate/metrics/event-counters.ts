import { vocabulary, type BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Registry } from './registry.ts'

const outcomes = {
  'order-accepted': 'accepted',
  'order-refused': 'refused',
  'order-would-take': 'would_take',
  'order-unknown': 'unknown',
  'order-not-sent': 'not_sent',
  'order-not-attempted': 'not_attempted',
} as const

export function countEvents(registry: Registry, events: readonly BotEvent[]): void {
  for (const event of events) {
    const { type } = event
    registry.add('rungs_events_total', { type, level: vocabulary[type].level })
    switch (type) {
      case 'strategy-loaded':
        startFromZero(registry, event.strategy)
        break
      case 'order-accepted':
      case 'order-refused':
      case 'order-would-take':
      case 'order-unknown':
      case 'order-not-sent':
      case 'order-not-attempted':
        registry.add('rungs_orders_total', { strategy: event.strategy, outcome: outcomes[type] })
        break
      case 'order-resolved':
        registry.add('rungs_doubts_ended_total', { strategy: event.strategy, outcome: event.outcome })
        break
      case 'fill':
        registry.add('rungs_fills_total', { strategy: event.strategy })
        break
      case 'stream-connected':
        registry.add('rungs_stream_connects_total', {})
        break
      case 'stream-lost':
        registry.add('rungs_stream_losses_total', {})
        break
      default:
    }
  }
}

/** Counters start at zero: a rate needs a value before the first event. */
function startFromZero(registry: Registry, strategy: string): void {
  for (const outcome of Object.values(outcomes)) registry.add('rungs_orders_total', { strategy, outcome }, 0)
  for (const outcome of ['placed', 'absent'])
    registry.add('rungs_doubts_ended_total', { strategy, outcome }, 0)
  registry.add('rungs_fills_total', { strategy }, 0)
}
