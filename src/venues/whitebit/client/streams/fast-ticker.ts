import type { z } from 'zod'
import type { streamUpdates } from '#src/venues/whitebit/contract/streams/stream-frames.ts'

export type Ticker = z.output<typeof streamUpdates.bookTicker>

/** Fifteen digits are exact in every number of JavaScript. */
const number = String.raw`((?:0|[1-9]\d{0,14})(?:\.\d{1,15})?)`
const whole = String.raw`(0|[1-9]\d{0,14})`
const market = '"([A-Z0-9]{1,20}_[A-Z0-9]{1,20})"'
const decimal = String.raw`"((?:0|[1-9]\d{0,17})(?:\.\d{1,18})?)"`
const frame = new RegExp(
  String.raw`^\{"method":"bookTicker_update","params":\[\[${number},${number},${market},${whole},` +
    String.raw`${decimal},${decimal},${decimal},${decimal}\]\],"id":null\}$`,
)

/**
 * The best prices of a market, from a frame without spaces or escapes: what orders wait for. It takes a third of the time
 * of JSON.parse and the schema, which judge every other frame, and tests hold this against them.
 */
export function readFastTicker(text: string): Ticker | undefined {
  const captured = frame.exec(text)
  if (captured === null) return undefined
  const [, changed, told, name = '', update, bid = '', bidAmount = '', ask = '', askAmount = ''] = captured
  return [[Number(changed), Number(told), name, Number(update), bid, bidAmount, ask, askAmount]]
}
