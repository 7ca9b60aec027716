import type { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { BotError } from '#src/core/errors/bot-error.ts'
import type { TapeBegin, TapeCall, TapeEvent } from '#src/research/recording/tape.ts'
import { TapeWriter, type TapeWriterParts } from '#src/research/recording/tape-writer.ts'

export const at = Date.UTC(2026, 10, 21)
const begin: TapeWriterParts['begin'] = {
  at,
  rungs: '0.1.0',
  venue: 'https://name:word@venue.example/?key=1',
  profile: 'full',
  spelling: 'spec',
  speed: 1,
  strategies: [{ name: 'grid', hash: 'ab'.repeat(32) }],
}
/** The stored form. */
export const header: TapeBegin = { kind: 'tape', version: 1, ...begin, venue: 'https://venue.example' }

export function call(got: TapeCall['got'], body: unknown = null): TapeEvent {
  const about = { at, tookMs: 1.25, method: 'POST', path: '/api/v4/order/new', query: '' }
  return { kind: 'call', ...about, body, got }
}

/** One of each kind. */
export const events: TapeEvent[] = [
  call({ status: 200, json: { ok: [1, 'a"b\n'] } }, { market: 'BTC_USDT' }),
  call({ status: 429, retryAfter: '3', text: '<html>é' }),
  call({ failed: 'unanswered', reason: 'No whole answer before the deadline' }),
  { kind: 'unfinished', n: 3, at, method: 'GET', path: '/api/v4/public/time', query: '', body: null },
  { kind: 'stream-opened', at, stream: 1 },
  { kind: 'stream-frame', at, stream: 1, from: 'us', json: { id: 1, method: 'ping', params: [] } },
  { kind: 'stream-frame', at, stream: 1, from: 'venue', text: 'half a fra' },
  { kind: 'stream-closed', at, stream: 1, reason: 'closed' },
  { kind: 'turn', at: at + 1000, monotonic: 1234.567891 },
  { kind: 'operator', at, act: { kind: 'operator', act: 'stop', reason: 'lunch' } },
  { kind: 'signal', at, name: 'trend', value: 'long' },
  { kind: 'reloaded', at, name: 'grid', text: 'name: grid\n' },
  { kind: 'prices', at, begins: at, prices: { BTC_PERP: { at: [0, 60_000], units: [6e13, 6e13] } } },
  { kind: 'nonces', at, look: 2, aheadMs: -20, recent: [{ agoMs: 10, calls: 3 }], monotonicMs: 17 },
  { kind: 'ending', at },
  { kind: 'broken', at, call: 7 },
]

export function writer(path: string, secrets: readonly Secret[] = []) {
  const troubles: BotError[] = []
  const tape = new TapeWriter({ path, begin, secrets, onTrouble: (error) => troubles.push(error) })
  return { troubles, tape }
}
