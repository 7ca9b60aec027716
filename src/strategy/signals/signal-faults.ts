import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import type { SignalFeed, Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { fits, valuesOf } from './signal-values.ts'

/** What is wrong with the signals of a file, and with their values in its tests. */
export function signalFaults({ signals, tests }: Pick<Strategy, 'signals' | 'tests'>): StrategyFault[] {
  const faults = Object.entries(signals).flatMap(([name, feed]) => feedFaults(['feeds', name], feed))
  for (const [index, { given }] of tests.entries()) {
    for (const [name, value] of Object.entries(given.signals)) {
      const feed = Object.hasOwn(signals, name) ? signals[name] : undefined
      if (!feed || fits(feed, value)) continue
      const path = ['tests', index, 'given', 'signals', name]
      const message = `"${value}" is no value of the signal "${name}"`
      faults.push({ path, from: [['feeds', name]], message, hint: `write ${valuesOf(feed)}` })
    }
  }
  return faults
}

function feedFaults(path: string[], { states, alert }: SignalFeed): StrategyFault[] {
  const faults: StrategyFault[] = []
  for (const [index, state] of (states ?? []).entries()) {
    if (states?.indexOf(state) === index) continue
    faults.push({
      path: [...path, 'states', index],
      message: `the state "${state}" is listed twice`,
      hint: 'omit it',
    })
  }
  if (!alert) return faults
  const { where, field, values = {} } = alert
  if (field === undefined && Object.keys(where).length > 0) {
    const message = 'where reads fields, and without field the whole text of the alert is the value'
    faults.push({ path: [...path, 'alert', 'where'], message, hint: 'add field: action, or omit where' })
  }
  for (const [value, state] of Object.entries(values)) {
    if (states?.includes(state)) continue
    const message = states
      ? `"${state}" is no state of the signal`
      : 'a signal without states has no words for values'
    const hint = states ? `write ${valuesOf({ states })}` : `add states: [${state}, ...], or omit values`
    faults.push({ path: [...path, 'alert', 'values', value], from: [[...path, 'states']], message, hint })
  }
  return faults
}
