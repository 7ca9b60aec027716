import { isRecord } from '#src/core/objects/objects.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'

/** Balances, and lists by market: the keys are no names of fields. */
const isTable = (value: Record<string, unknown>) =>
  Object.keys(value).every((key) => /^[A-Z0-9]+(?:_[A-Z0-9]+)?$/.test(key))

/** The answer of another version of the API: with unknown fields, and without each field that the bot does not need. */
export function otherForm(row: Pick<Endpoint, 'reads'>, value: unknown): unknown {
  const { reads } = row
  if (Array.isArray(value)) return value.map((each) => otherForm(row, each))
  if (!isRecord(value)) return value
  const entries = Object.entries(value).map(([name, item]) => [name, otherForm(row, item)] as const)
  if (isTable(value)) return Object.fromEntries(entries)
  const kept = entries.filter(([name]) => reads === undefined || reads.includes(name))
  return { version: { of: ['another', 'API'] }, ...Object.fromEntries(kept.reverse()), oto: null }
}
