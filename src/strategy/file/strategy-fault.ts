export type KeyPath = readonly PropertyKey[]

/** A fault of a strategy of the right form: where in the file, and how to fix it. */
export type StrategyFault = {
  path: KeyPath
  /** Other places that it follows from. Without them, it follows from the value at its path alone. */
  from?: readonly KeyPath[]
  /** Offset in the value, for expressions. */
  start?: number
  /** The fault is about the key, not about its value. */
  onKey?: boolean
  message: string
  hint: string
}
