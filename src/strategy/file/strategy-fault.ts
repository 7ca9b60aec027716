/** What is wrong with a strategy whose form is right: where in the file, and what to do about it. */
export type StrategyFault = {
  path: readonly PropertyKey[]
  /** Characters into the value, for expressions. */
  start?: number
  /** It is about the key, not about what stands behind it. */
  onKey?: boolean
  message: string
  hint?: string | undefined
}
