/**
 * The labels of exit orders. A label is part of each client order id and of each journal, so none ever changes:
 * `m` and the level of a mirror, `t` and the number of a part of the take profit, or one of these for the whole position.
 * A part beyond the greatest order of the market, or a second mirror of a level, has `-2` behind it, and so on.
 */
const wholeNames = { fl: 'flatten', st: 'stop', tr: 'trail', at: 'at', ag: 'max_age' } as const

export type WholeLabel = keyof typeof wholeNames
/** Once due, these close the whole position of a ladder until it is flat. */
export type LeavingLabel = Exclude<WholeLabel, 'at'>
type ExitName = (typeof wholeNames)[WholeLabel] | 'mirror' | 'take_profit'

type ExitLabel =
  | { name: 'mirror'; key: string; level: string }
  | { name: 'take_profit'; part: string }
  | { name: (typeof wholeNames)[WholeLabel]; whole: WholeLabel }

/** Null for the label of a rung. */
export function readExitLabel(label: string): ExitLabel | null {
  if (label.startsWith('m')) {
    const key = label.slice(1)
    return { name: 'mirror', key, level: withoutNumber(key) }
  }
  if (/^t\d/.test(label)) return { name: 'take_profit', part: withoutNumber(label).slice(1) }
  const whole = withoutNumber(label)
  return isWhole(whole) ? { name: wholeNames[whole], whole } : null
}

/** What an exit is for, in a word. */
export function exitName(label: string): ExitName {
  return readExitLabel(label)?.name ?? 'take_profit'
}

/** The key of a mirror, under which the state keeps it; undefined for other orders. */
export function mirrorKey(label: string): string | undefined {
  return label.startsWith('m') ? label.slice(1) : undefined
}

export function mirrorLabel(key: string): string {
  return `m${key}`
}

/** The level whose fill armed a mirror. */
export function levelOf(key: string): string {
  return withoutNumber(key)
}

export function partLabel(index: number): string {
  return `t${index + 1}`
}

/** The label, or the key, of the second and each further order of one exit. */
export function numbered(label: string, number: number): string {
  return number === 1 ? label : `${label}-${number}`
}

function withoutNumber(label: string): string {
  return label.replace(/-\d+$/, '')
}

function isWhole(label: string): label is WholeLabel {
  return Object.hasOwn(wholeNames, label)
}
