import { Decimal } from '#src/core/money/decimal.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import { isRecord, valueAt } from '#src/core/objects/objects.ts'
import type { SignalFeed, Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { signalOfLine } from './signal-line.ts'
import { fits, type Signal, type SignalFault } from './signal-values.ts'

/** What a text from outside sets, and what is wrong with it. */
type Delivery = { signals: Signal[]; faults: SignalFault[] }

type Strategies = readonly Pick<Strategy, 'name' | 'signals'>[]
type Alert = NonNullable<SignalFeed['alert']>

const fieldsShown = 10

/**
 * The signals of a body: `{ "name": …, "value": … }`, a line `NAME VALUE`, or the alert of a chart, whose fields and words the
 * strategy files map to signals. Nothing is guessed: a body that no file maps is refused.
 */
export function deliveryOf(strategies: Strategies, body: Record<string, unknown> | string): Delivery {
  if (typeof body === 'string') return ofText(strategies, body.trim())
  const { name, value, ...rest } = body
  const plain = textOf(value)
  if (typeof name === 'string' && plain !== undefined && Object.keys(rest).length === 0)
    return { signals: [{ name, value: plain }], faults: [] }
  const delivery: Delivery = { signals: [], faults: [] }
  for (const { signal, alert } of alertsOf(strategies)) {
    const { where, field } = alert
    const found = field === undefined ? undefined : fieldOf(body, field)
    if (found === undefined || !Object.entries(where).every(([key, wanted]) => fieldOf(body, key) === wanted))
      continue
    const meant = meantBy(alert, found)
    if (meant !== undefined) delivery.signals.push({ name: signal, value: meant })
    else
      delivery.faults.push({
        what: `the field ${field} of the alert is "${found.slice(0, 40)}", and alert.values of ${signal} does not list it`,
        fix: 'add it to alert.values in the strategy file, or narrow alert.where',
      })
  }
  const isMapped = delivery.signals.length + delivery.faults.length > 0
  return isMapped
    ? delivery
    : { signals: [], faults: [unmapped(`fields ${Object.keys(body).slice(0, fieldsShown).join(', ')}`)] }
}

function ofText(strategies: Strategies, text: string): Delivery {
  const signals = alertsOf(strategies).flatMap(({ signal, feed, alert }) => {
    const meant = alert.field === undefined ? meantBy(alert, text) : undefined
    return meant !== undefined && fits(feed, meant) ? [{ name: signal, value: meant }] : []
  })
  const line = signals.length > 0 ? undefined : signalOfLine(text)
  if (line) return { signals: [{ name: line.name, value: line.value }], faults: [] }
  return { signals, faults: signals.length > 0 ? [] : [unmapped(`text "${text.slice(0, 40)}"`)] }
}

/** The mappings of all strategies; each sets the signal of its own strategy alone. */
function alertsOf(strategies: Strategies): { signal: string; feed: SignalFeed; alert: Alert }[] {
  return strategies.flatMap(({ name, signals }) =>
    Object.entries(signals).flatMap(([signal, feed]) =>
      feed.alert ? [{ signal: `${name}.${signal}`, feed, alert: feed.alert }] : [],
    ),
  )
}

function meantBy({ values }: Alert, text: string): string | undefined {
  if (!values) return text
  return Object.hasOwn(values, text) ? values[text] : undefined
}

function fieldOf(body: Record<string, unknown>, field: string): string | undefined {
  return textOf(valueAt(body, field.split('.')))
}

/** Programs write numbers as numbers or as texts. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number') return new Decimal(value).toFixed()
  return typeof value === 'boolean' ? String(value) : undefined
}

function unmapped(seen: string): SignalFault {
  return {
    what: `no signal of a running strategy takes the ${seen}`,
    fix:
      'send {"name":"trend","value":"long"} with the name of a signal, or describe the alert in the strategy file: ' +
      'alert: { field: action }',
  }
}

/** The body of a request: an object of JSON, or any text. */
export function bodyOf(text: string): Record<string, unknown> | string {
  const json = jsonIn(text)
  return isRecord(json) ? json : text
}
