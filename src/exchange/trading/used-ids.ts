/**
 * The client order ids that an account has used: a set that only has to answer "was this one there?", and does
 * so for every order of every bulk. A Set of as many strings costs more to grow than an order costs to match, so
 * this is a table of 32-bit hashes in one typed array, with the ids beside it to compare. Plain data, because it
 * is stored with the rest of the state; a property test holds it against a Set.
 */
export type UsedIds = {
  /** Pairs of a hash and the place of its id, counted from one; 0 is free. At most half of them are taken. */
  slots: Int32Array
  /** In the order of their use; '' where one was freed again. */
  ids: string[]
}

const slotsAtFirst = 64

export function noUsedIds(): UsedIds {
  return { slots: new Int32Array(2 * slotsAtFirst), ids: [] }
}

export function isUsed(used: UsedIds, id: string): boolean {
  return placeOf(used, id) > 0
}

/** `id` must not be used yet, and not be empty. */
export function use(used: UsedIds, id: string): void {
  if (used.ids.length * 4 >= used.slots.length) grow(used)
  used.ids.push(id)
  take(used.slots, hashOf(id), used.ids.length)
}

export function free(used: UsedIds, id: string): void {
  const place = placeOf(used, id)
  if (place > 0) used.ids[place - 1] = ''
}

function placeOf({ slots, ids }: UsedIds, id: string): number {
  const mask = slots.length / 2 - 1
  const hash = hashOf(id)
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
    const place = slots[2 * slot + 1] ?? 0
    if (place === 0 || (slots[2 * slot] === hash && ids[place - 1] === id)) return place
  }
}

/** Room for twice the ids that are left, freed ones forgotten: hashes move, no string is looked at. */
function grow(used: UsedIds): void {
  const { slots, ids } = used
  const hashes = new Int32Array(ids.length)
  for (let slot = 0; slot < slots.length; slot += 2) {
    const place = slots[slot + 1] ?? 0
    if (place > 0) hashes[place - 1] = slots[slot] ?? 0
  }
  let left = 0
  for (const id of ids) if (id !== '') left += 1
  let room = slotsAtFirst
  while (room < 4 * left) room *= 2
  const larger = new Int32Array(2 * room)
  let kept = 0
  for (let place = 0; place < ids.length; place++) {
    const id = ids[place] ?? ''
    if (id === '') continue
    ids[kept++] = id
    take(larger, hashes[place] ?? 0, kept)
  }
  ids.length = kept
  used.slots = larger
}

function take(slots: Int32Array, hash: number, place: number): void {
  const mask = slots.length / 2 - 1
  let slot = hash & mask
  while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & mask
  slots[2 * slot] = hash
  slots[2 * slot + 1] = place
}

/**
 * FNV-1a of all but the last letter, which only moves the place by little: the ids of a ladder lie side by side, and
 * the memory of one is at hand when the next one comes.
 */
function hashOf(id: string): number {
  const last = id.length - 1
  let hash = 0x811c9dc5
  for (let index = 0; index < last; index++) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193)
  }
  return hash ^ (hash >>> 15) ^ id.charCodeAt(last)
}
