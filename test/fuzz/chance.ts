/** Random numbers that repeat: the same seed gives the same numbers on every machine. */
export type Chance = {
  /** A whole number from 0 to `most` - 1. */
  below: (most: number) => number
  oneOf: <Item>(items: readonly Item[]) => Item
  /** True in about this percentage of cases. */
  percent: (share: number) => boolean
}

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  function below(most: number): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most
  }
  return {
    below,
    oneOf<Item>(items: readonly Item[]): Item {
      const item = items[below(items.length)]
      if (item === undefined) throw new RangeError('nothing to choose from')
      return item
    },
    percent: (share) => below(100) < share,
  }
}
