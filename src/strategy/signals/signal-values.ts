import { signedPattern } from '#src/core/money/decimal-text.ts'
import { StateSignal, type NumberSignal } from '#src/strategy/expressions/context-objects.ts'
import type { SignalFeed, Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { suggestion } from '#src/core/yaml/suggestion.ts'

/** A value for the signals of this name in all strategies, or in one: `trend`, or `sigent.trend`. */
export type Signal = { name: string; value: string }

const shownMax = 40

/** Whether a delivery to this name is for the signal of the strategy. */
export function isNamed(name: string, strategy: string, signal: string): boolean {
  return name === signal || name === `${strategy}.${signal}`
}

/** Whether the signal can have this value. */
export function fits({ states }: Pick<SignalFeed, 'states'>, value: string): boolean {
  return states ? states.includes(value) : signedPattern.test(value)
}

/** The values that the signal can have, for people. */
export function valuesOf({ states }: Pick<SignalFeed, 'states'>): string {
  return states
    ? `one of ${states.join(', ')}`
    : 'a plain number such as 0.75 or -2, with at most 18 decimals'
}

/** Sets the value that expressions read. Null, and a value that an earlier version of the file allowed, are unknown. */
export function setSignal(
  input: NumberSignal | StateSignal,
  feed: Pick<SignalFeed, 'states'>,
  value: string | null,
): void {
  const known = value !== null && fits(feed, value) ? value : null
  if (input instanceof StateSignal) input.state = known
  else input.value = known === null ? null : Number(known)
}

/** Why a signal is refused, and the remedy. */
export type SignalFault = { what: string; fix: string }

/** Why these strategies cannot take the signal. */
export function signalFault(
  strategies: readonly Pick<Strategy, 'name' | 'signals'>[],
  { name, value }: Signal,
): SignalFault | undefined {
  const shown = name.slice(0, shownMax)
  const takers = strategies.flatMap(({ name: strategy, signals }) =>
    Object.entries(signals).flatMap(([signal, feed]) =>
      isNamed(name, strategy, signal) ? [{ strategy, feed }] : [],
    ),
  )
  if (takers.length === 0) {
    const names = [...new Set(strategies.flatMap(({ signals }) => Object.keys(signals)))]
    const fix =
      names.length > 0
        ? `use one of ${names.join(', ')}${suggestion(name, names)}`
        : 'add a feed with source: signal to the strategy file'
    return { what: `no running strategy has a signal "${shown}"`, fix }
  }
  const unfit = takers.find(({ feed }) => !fits(feed, value))
  if (!unfit) return undefined
  const { strategy, feed } = unfit
  const what = `"${value.slice(0, shownMax)}" is no value of the signal ${shown} of ${strategy}`
  return { what, fix: `use ${valuesOf(feed)}` }
}
