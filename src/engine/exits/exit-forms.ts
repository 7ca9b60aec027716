import { formatAtoms, parseSignedAtoms, type Atoms } from '#src/core/money/atoms.ts'
import { levelOf, readExitLabel, type ExitName } from '#src/strategy/schema/exit-labels.ts'
import type { ExitState } from '#src/engine/state/exit-state.ts'

/** How the state counts the orders of an exit. `key` is the key of a mirror. */
type ExitForm = {
  /** A fill reduces what it still has to sell. */
  sell?: (exits: ExitState, key: string, amount: Atoms) => void
  /** The levels whose fills it closes first; without it, the oldest fills of the ladder. */
  levels?: (exits: ExitState | undefined, key: string) => [string, ...string[]]
  /** Whether it still wants an order that rests; without it, never. */
  wants?: (exits: ExitState, key: string, order: string) => boolean
}

/** Exits of a whole position are counted by the position alone. */
const exitForms: Readonly<Partial<Record<ExitName, ExitForm>>> = {
  mirror: {
    sell: ({ mirrors }, key, amount) => {
      const mirror = mirrors[key]
      if (!mirror) return
      const left = parseSignedAtoms(mirror.amount) - amount
      mirror.amount = formatAtoms(left > 0n ? left : 0n)
    },
    levels: (exits, key) => {
      const level = levelOf(key)
      // Lots that were too small for a mirror of their own come last.
      return [level, ...(exits?.mirrors[key]?.levels ?? []).filter((other) => other !== level)]
    },
    wants: ({ mirrors }, key, order) => mirrors[key]?.order === order,
  },
  close: {
    sell: (exits, _key, amount) => {
      const { share } = exits.close ?? {}
      if (!share) return
      const left = parseSignedAtoms(share.left) - amount
      if (left > 0n) share.left = formatAtoms(left)
      else delete exits.close
    },
  },
  take_profit: {
    sell: ({ parts }, _key, amount) => {
      if (parts) parts.gone = formatAtoms(parseSignedAtoms(parts.gone) + amount)
    },
  },
}

/** Undefined for the label of a rung. */
export function exitFormOf(label: string): (ExitForm & { key: string }) | undefined {
  const exit = readExitLabel(label)
  return exit === null ? undefined : { ...exitForms[exit.name], key: exit.key }
}
