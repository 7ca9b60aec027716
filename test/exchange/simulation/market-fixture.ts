import { Exchange } from '#src/exchange/exchange.ts'
import type { ExchangeOptions } from '#src/exchange/exchange-options.ts'
import type { Sources } from '#src/exchange/simulation/begin-simulation.ts'
import { hashOf } from '#test/exchange/state-text.ts'
import { openVenue, paperWorld } from '#test/exchange/exchange-fixture.ts'

/** 2026-09-21 00:00 UTC. */
export const midnight = 1_789_948_800_000

export const seeded: Sources = { seeded: true }

/** An exchange with simulated markets, before their first event. */
export function openMarkets(options: Partial<ExchangeOptions> = {}): Exchange {
  const exchange = new Exchange({
    world: paperWorld,
    seed: 'a seed',
    begin: midnight,
    sources: seeded,
    ...options,
  })
  return exchange
}

/** The same with a client that signs, and with a filled book. */
export function openMovingVenue(options: Partial<ExchangeOptions> = {}) {
  return openVenue({ sources: seeded, profile: 'full', ...options })
}

/** Records the trades of each market from now on, one line each. */
export function tapesOf({ venue }: Exchange): { [market: string]: string[] } {
  const tapes: { [market: string]: string[] } = Object.fromEntries(
    venue.trading.markets.map(({ name }) => [name, []]),
  )
  venue.trading.listener = {
    trade: ({ name }, { id, lots, ticks, at }) => tapes[name]?.push(`${id} ${at} ${lots} ${ticks}`),
    order: () => {},
    deal: () => {},
  }
  return tapes
}

export function printsOf(tapes: { [market: string]: string[] }): { [market: string]: string } {
  return Object.fromEntries(
    Object.entries(tapes).map(([name, lines]) => [name, hashOf(lines.join('\n')).slice(0, 16)]),
  )
}
