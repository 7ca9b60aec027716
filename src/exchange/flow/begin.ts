import { formatAtoms } from '#src/money/atoms.ts'
import { openHouse, type State } from '../state.ts'
import type { World } from '../world.ts'
import { chanceOf } from './chance.ts'
import { noQuotes } from './quotes.ts'
import type { Recording } from './recording.ts'
import type { Index, Stand } from './records.ts'
import { beginWalk } from './walk.ts'

/** Where prices come from: recordings for the markets they name and, when asked for, a walk for all others. */
export type Sources = { seeded: boolean; recordings: readonly Recording[] }

/** No orders but those of the accounts. */
export const still: Sources = { seeded: false, recordings: [] }

/** Gives the state of a world that begins a flow, unless nothing is to move its markets. */
export function beginFlow(state: State, world: World, { seeded, recordings }: Sources): void {
  if (!seeded && recordings.length === 0) return
  const indexes: Index[] = recordings.map(() => ({ units: 0, walk: undefined }))
  const indexOfAsset = new Map<string, number>()
  for (const [asset, { price }] of seeded ? Object.entries(world.assets) : []) {
    if (price === 0n) continue
    const walk = beginWalk(state.seed, asset, Number(formatAtoms(price)))
    indexOfAsset.set(asset, indexes.push({ units: 0, walk }) - 1)
  }
  const stands: Stand[] = []
  for (const [market, [name, { base }]] of Object.entries(world.markets).entries()) {
    const recorded = recordings.findIndex(({ markets }) => markets.includes(name))
    const index = recorded === -1 ? indexOfAsset.get(base) : recorded
    const standing = state.markets[market]
    if (index === undefined || standing === undefined) continue
    standing.indexed = true
    const chance = chanceOf(state.seed, `market ${name}`)
    const quiet = { basis: 0, herd: 0, pace: 1, bids: noQuotes(), asks: noQuotes() }
    stands.push({ market, index, chance, nextAt: state.at, ...quiet })
  }
  state.flow = {
    beganAt: state.at,
    behindMs: 0,
    toldUntil: state.at,
    steps: 0,
    tide: chanceOf(state.seed, 'tide'),
    indexes,
    stands,
    maker: openHouse(state, 'maker').number,
    taker: openHouse(state, 'taker').number,
  }
}

/** The markets stand still for so long, and go on then as if nothing had been. */
export function rest({ flow }: State, ms: number): void {
  if (flow) flow.behindMs += ms
}
