/**
 * Random numbers that depend only on their name: a draw does not change when other draws are left out, so a failing run can
 * be repeated with a part of its faults.
 */
export class SeededRandom {
  readonly #seed: number

  constructor(seed: number) {
    this.#seed = mixed(seed ^ 0x9e3779b9)
  }

  /** From 0 up to, not including, 1. */
  unit(site: string, index = 0, draw = 0): number {
    let state = this.#seed
    for (let at = 0; at < site.length; at++) state = mixed(state ^ site.charCodeAt(at))
    state = mixed(state ^ index)
    return mixed(state ^ Math.imul(draw + 1, 0x85ebca6b)) / 2 ** 32
  }

  /** A whole number from `least` to `most`. */
  whole(least: number, most: number, site: string, index = 0, draw = 0): number {
    return least + Math.floor(this.unit(site, index, draw) * (most - least + 1))
  }

  pick<One>(from: readonly One[], site: string, index = 0, draw = 0): One {
    const found = from[Math.floor(this.unit(site, index, draw) * from.length)]
    if (found === undefined) throw new RangeError(`nothing to choose from at ${site}`)
    return found
  }
}

/** The finalizer of MurmurHash3: each bit of the input changes half of the bits of the result. */
function mixed(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
