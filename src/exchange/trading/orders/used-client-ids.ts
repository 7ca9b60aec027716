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

/** Forgets all but the newest so many ids and, of the older ones, those that `isKept` names. */
export function forgetOldest(used: UsedIds, newest: number, isKept: (id: string) => boolean): void {
  const from = used.ids.length - newest
  retain(used, (id, place) => place >= from || isKept(id))
}

function grow(used: UsedIds): void {
  retain(used, () => true)
}

/** Room for twice the ids that stay, freed ones forgotten: hashes move. */
function retain(used: UsedIds, stays: (id: string, place: number) => boolean): void {
  const { slots, ids } = used
  const hashes = new Int32Array(ids.length)
  for (let slot = 0; slot < slots.length; slot += 2) {
    const place = slots[slot + 1] ?? 0
    if (place > 0) hashes[place - 1] = slots[slot] ?? 0
  }
  let kept = 0
  for (let place = 0; place < ids.length; place++) {
    const id = ids[place] ?? ''
    if (id === '' || !stays(id, place)) continue
    hashes[kept] = hashes[place] ?? 0
    ids[kept++] = id
  }
  ids.length = kept
  let room = slotsAtFirst
  while (room < 4 * kept) room *= 2
  used.slots = new Int32Array(2 * room)
  for (let place = 0; place < kept; place++) take(used.slots, hashes[place] ?? 0, place + 1)
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
