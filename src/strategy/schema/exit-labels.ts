import { keysOf } from '#src/core/objects/objects.ts'
import { wholeLabels, type ExitFile } from './exit-schema.ts'

type WholeName = keyof typeof wholeLabels
export type WholeLabel = (typeof wholeLabels)[WholeName]
export type ExitName = WholeName | 'mirror' | 'take_profit'
/**
 * The label of an exit: `m` and the level of a mirror, `t` and the number of a part of the take profit, or the label of an exit
 * of the whole position. A part beyond the greatest order of the market, or a second mirror of a level, ends in `-2`, and so on.
 * The labels of rungs are their levels.
 */
export type ExitLabel = `${'m' | 't' | WholeLabel}${string}`

/** In the order in which they are checked: the first one that is due closes the position. */
export const wholeNames: readonly WholeName[] = keysOf(wholeLabels)
const nameByLabel = new Map<string, WholeName>(wholeNames.map((name) => [wholeLabels[name], name]))

/** `key`: the key of a mirror in the state, the number of a part of the take profit, or empty. Null for the label of a rung. */
export function readExitLabel(label: string): { name: ExitName; key: string } | null {
  if (label.startsWith('m')) return { name: 'mirror', key: label.slice(1) }
  const whole = withoutNumber(label)
  const name = nameByLabel.get(whole)
  if (name !== undefined) return { name, key: '' }
  return /^t\d/.test(label) ? { name: 'take_profit', key: whole.slice(1) } : null
}

/** The labels of the exits of the whole position that the ladder's file has, and the one that closes the position now. */
export function wholeLabelsIn(
  { file: { exit } }: { file: { exit?: ExitFile | undefined } },
  leave: WholeLabel | null = null,
): ExitLabel[] {
  const isIn = (name: WholeName) => name !== 'flatten' && name !== 'close' && exit?.[name] !== undefined
  return wholeNames
    .filter((name) => isIn(name) || wholeLabels[name] === leave)
    .map((name) => wholeLabels[name])
}

/** The name of an exit, for people; the label itself if it is of no known exit. */
export function exitName(label: string): string {
  return readExitLabel(label)?.name ?? label
}

/** The key of a mirror in the state; undefined for other orders. */
export function mirrorKey(label: string): string | undefined {
  const exit = readExitLabel(label)
  return exit?.name === 'mirror' ? exit.key : undefined
}

export function mirrorLabel(key: string): ExitLabel {
  return `m${key}`
}

/** The level whose fill caused a mirror. */
export function levelOf(key: string): string {
  return withoutNumber(key)
}

export function partLabel(index: number): ExitLabel {
  return `t${index + 1}`
}

/** The label, or the key, of the second and each further order of one exit. */
export function numbered(label: ExitLabel, number: number): ExitLabel
export function numbered(key: string, number: number): string
export function numbered(label: string, number: number): string {
  return number === 1 ? label : `${label}-${number}`
}

function withoutNumber(label: string): string {
  return !label.includes('-') ? label : label.replace(/-\d+$/, '')
}
