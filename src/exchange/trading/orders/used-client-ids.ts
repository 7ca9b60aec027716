/**
 * The client order ids that an account has used. It answers only "was this id used?", for every order of every bulk.
 * Growing a Set of as many strings takes longer than matching the orders, so this is a table of 32-bit hashes in one
 * typed array, with the ids beside it for comparison. Plain data, because it is stored with the state; a property test
 * compares it with a Set.
 */
export type UsedIds = {
  /** Pairs of a hash and the place of its id, counted from one; 0 is free. At most half of the slots are in use. */
  slots: Int32Array
  /** In the order of use; '' for an id that was freed. */
  ids: string[]
}

const slotsAtFirst = 64

export function noUsedIds(): UsedIds {
  return { slots: new Int32Array(2 * slotsAtFirst), ids: [] }
}

export function isUsed(used: UsedIds, id: string): boolean {
  return placeOf(used, id) > 0
}

/** `id` must be unused and not empty. */
export function use(used: UsedIds, id: string): void {
  if (used.ids.length * 4 >= used.slots.length) retain(used, () => true)
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

/** Forgets all ids but the newest `newest` and those of the older ones for which `isKept` is true. */
export function forgetOldest(used: UsedIds, newest: number, isKept: (id: string) => boolean): void {
  const from = used.ids.length - newest
  retain(used, (id, place) => place >= from || isKept(id))
}

/** Rebuilds the table without freed ids, with room for twice the remaining ones; hashes move. */
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
 * FNV-1a of all but the last character, which moves the place only a little: the ids of a ladder are neighbours, so the
 * memory of one is in the cache when the next one arrives.
 */
function hashOf(id: string): number {
  const last = id.length - 1
  let hash = 0x811c9dc5
  for (let index = 0; index < last; index++) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193)
  }
  return hash ^ (hash >>> 15) ^ id.charCodeAt(last)
}
