import { noProblems, type Problems } from './problems.ts'

/** The spec's name of a field to the name that other venues of this family put on the wire. */
export type Names = Readonly<Record<string, string>>
export type Spelling = 'spec' | 'camel'

export const noNames: Names = {}

export const orderRequestNames: Names = { client_order_id: 'clientOrderId' }

/** Of calls about an order that is there. */
export const namedOrderNames: Names = {
  ...orderRequestNames,
  order_id: 'orderId',
  activation_price: 'activationPrice',
}

export const orderNames: Names = {
  order_id: 'orderId',
  client_order_id: 'clientOrderId',
  deal_money: 'dealMoney',
  deal_stock: 'dealStock',
  deal_fee: 'dealFee',
}

export const refundNames: Names = { transaction_id: 'transactionId' }

export function inverted(names: Names): Names {
  return Object.fromEntries(Object.entries(names).map(([spec, camel]) => [camel, spec]))
}

/** Whether a body may hold one of these names: a cheap look before a walk that is rarely needed. */
export function mentions(text: string, names: Names): boolean {
  return Object.values(names).some((name) => text.includes(`"${name}"`))
}

/**
 * The value with every key of `names` renamed, at any depth. A key whose new name is there already stays as
 * it is: two spellings of one field in one object are a mistake for the schema to name.
 */
export function respell(value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return value.map((item) => respell(item, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const renamed = Object.hasOwn(names, key) ? names[key] : undefined
      return [renamed !== undefined && !Object.hasOwn(value, renamed) ? renamed : key, respell(item, names)]
    }),
  )
}

/** A text for people with the other names. */
export function respellText(text: string, names: Names): string {
  return text.replace(/\w+/g, (word) => (Object.hasOwn(names, word) ? (names[word] ?? word) : word))
}

/** What is wrong with a call, told in the other names: they stand in keys, dotted ones too, and in the texts. */
export function respellProblems(problems: Problems, names: Names): Problems {
  const respelled = noProblems()
  for (const [key, texts] of Object.entries(problems)) {
    const renamed = respellText(key, names)
    respelled[Object.hasOwn(problems, renamed) ? key : renamed] = texts.map((text) =>
      respellText(text, names),
    )
  }
  return respelled
}
