import type { ReadResult, Venue } from '#src/venue/port.ts'
import { ccxt } from '#test/support/peers.ts'

export const library = ccxt()

/** What this adapter uses of ccxt's class; its package declares no types for a file that is fetched on demand. */
export type CcxtExchange = Awaited<ReturnType<typeof connected>>

export async function connected(url: string) {
  const made = new library.pro.whitebit({ apiKey: 'paper-key', secret: 'paper-secret' })
  made.urls.api = JSON.parse(JSON.stringify(made.urls.api).replaceAll('https://whitebit.com', url))
  await made.loadHttpProxyAgent()
  await made.loadMarkets()
  return made
}

export type Row = Record<string, unknown>
export type Balance = Record<'free' | 'used' | 'total', Row>

export function digitsOf(step: unknown): number {
  return Math.round(-Math.log10(Number(step)))
}

export async function attempt<Value>(call: () => Promise<Value>): Promise<ReadResult<Value>> {
  try {
    return { kind: 'read', value: await call() }
  } catch (error) {
    const isDenied = error instanceof library.PermissionDenied || error instanceof library.NotSupported
    return { kind: isDenied ? 'denied' : 'failed', reason: messageOf(error) }
  }
}

export function mapped<From, To>(read: ReadResult<From>, change: (value: From) => To): ReadResult<To> {
  return read.kind === 'read' ? { kind: 'read', value: change(read.value) } : read
}

export function valueOr<Value, Other>(read: ReadResult<Value>, other: Other): Value | Other {
  return read.kind === 'read' ? read.value : other
}

export function texts(exchange: CcxtExchange, amounts: Row): Record<string, string> {
  const known = Object.entries(amounts).filter(([, amount]) => amount !== undefined)
  return Object.fromEntries(known.map(([currency, amount]) => [currency, text(exchange, amount)]))
}

/** Decimal text without an exponent. */
export function text(exchange: CcxtExchange, value: unknown): string {
  return exchange.numberToString(value)
}

export function nested(value: unknown): Row {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

export function doneOf(read: ReadResult<unknown>): Awaited<ReturnType<Venue['setLeverage']>> {
  if (read.kind === 'read') return { kind: 'done' }
  return { kind: 'failed', reason: read.kind === 'moved' ? '' : read.reason }
}

export function isThrottled(error: unknown): boolean {
  return error instanceof library.RateLimitExceeded || error instanceof library.DDoSProtection
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
