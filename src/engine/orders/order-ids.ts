import type { OrderDraft } from '#src/engine/commands.ts'
import type { Compiled, CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import type { LadderState, Order, State } from '#src/engine/state/state.ts'
import { readExitLabel } from '#src/strategy/schema/exit-labels.ts'

/** The id of the next order by level. */
const next = new WeakMap<CompiledLadder, Map<string, { generation: number; id: string }>>()

type Tagged = Pick<State, 'tag'>
/** `label`: the level of a rung, or the label of an exit. */
type OrderPlace = { strategy: string; ladder: string; label: string }
/** The parts of an order id. Journals that 0.3.2 and older began have no tag. */
export type OrderIdParts = OrderPlace & { tag: string | undefined; generation: number }

/** The same intent has the same id, before and after a crash. */
export function orderId(
  state: Tagged,
  strategy: string,
  ladder: CompiledLadder,
  label: string,
  generation: number,
): string {
  const known = next.get(ladder)?.get(label)
  if (known?.generation === generation) return known.id
  return orderIdOf(state, { strategy, ladder: ladder.name, label }, generation)
}

/**
 * `STRATEGY.LADDER.LABEL.NUMBER`, where a journal with a tag writes the number to base 36 behind its tag: together they are not
 * longer than the largest decimal number.
 */
export function orderIdOf(
  { tag }: Tagged,
  { strategy, ladder, label }: OrderPlace,
  generation: number,
): string {
  const number = tag === undefined ? String(generation) : `${tag}${generation.toString(36)}`
  return `${strategy}.${ladder}.${label}.${number}`
}

/** The client order id at the venue. */
export function clientIdOf({ id, amends }: Pick<OrderDraft, 'id' | 'amends'>): string {
  return amends?.clientId ?? id
}

/** The open order that the venue lists under the client order id of this former one. */
export function holderOf({ orders }: Pick<State, 'orders'>, former: string): Order | undefined {
  return Object.values(orders).find(({ status, amends }) => status !== 'ended' && amends?.clientId === former)
}

const form =
  /^([a-z][a-z0-9_]*)\.([a-z][a-z0-9_]*)\.([a-z]{0,2}\d*(?:-\d+)?)\.(?:(\d+)|([a-z][\da-z])([\da-z]+))$/
const rungLabel = /^[bs]?\d+$/

/** Undefined if no bot of this program writes such an id. */
export function readOrderId(id: string): OrderIdParts | undefined {
  const [, strategy = '', ladder = '', label = '', decimal, tag, number = ''] = form.exec(id) ?? []
  if (strategy === '' || (!rungLabel.test(label) && readExitLabel(label) === null)) return undefined
  const generation = decimal === undefined ? Number.parseInt(number, 36) : Number(decimal)
  return { strategy, ladder, label, tag, generation }
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const characters = `0123456789${letters}`

/** The tag of a new journal. It begins with a letter, so that no id with a tag reads like one without. */
export function newTag(random: () => number): string {
  const oneOf = (some: string) => some.charAt(Math.floor(random() * some.length))
  return `${oneOf(letters)}${oneOf(characters)}`
}

/**
 * Prepares the ids of the next orders while no command waits. A string that was already used as a property name is found by its
 * address; a new one is built, hashed and looked up among all names.
 */
function foresee(state: Tagged, { name, ladders }: Compiled, states: Record<string, LadderState>): void {
  for (const ladder of ladders) {
    const own = states[ladder.name]
    if (!own) continue
    const ids = next.get(ladder) ?? new Map<string, { generation: number; id: string }>()
    next.set(ladder, ids)
    const names: Record<string, { level: string; generation: number }> = {}
    for (const { level } of own.rungs) {
      const generation = (own.generations[level] ?? 0) + 1
      const place = { strategy: name, ladder: ladder.name, label: level }
      if (ids.get(level)?.generation !== generation)
        names[orderIdOf(state, place, generation)] = { level, generation }
    }
    for (const id in names) {
      const { level, generation } = names[id]!
      ids.set(level, { generation, id })
    }
  }
}

/** The ids of all running strategies. */
export function foreseeIds(state: State, known: ReadonlyMap<string, Compiled>): void {
  for (const name of state.running) {
    const [compiled, own] = [known.get(name), state.strategies[name]]
    if (compiled && own) foresee(state, compiled, own.ladders)
  }
}
