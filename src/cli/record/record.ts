import { VirtualTime } from '#src/runtime/virtual-time.ts'
import { hiddenSockets } from '#src/venues/whitebit/client/streams/socket.ts'
import { Stream, type StreamEvent } from '#src/venues/whitebit/client/streams/stream.ts'
import { streamUrlOf } from '#src/venues/whitebit/adapter/market-reads.ts'
import { usage } from '#src/cli/words/usage.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { tapeJsonSchema } from '#src/research/recording/json-schema.ts'
import { Recording } from '#src/research/recording/recording.ts'
import { TapeWriter } from '#src/research/recording/tape-writer.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { Shutdown } from '#src/cli/run/shutdown.ts'
import { packageVersion } from '#src/cli/program/package-version.ts'
import { clientOf, hiding, secretsOf } from '#src/cli/files/venue-access.ts'
import { publicVenue, refuseUnknownMarkets } from '#src/cli/files/public-venue.ts'
import { schemaText } from '#src/cli/words/schema-text.ts'
import { printed } from '#src/cli/words/printed.ts'

export type RecordFlags = {
  venue?: string
  market?: string[]
  for?: number
  out?: string
  json?: boolean
  schema?: boolean
}

/** `rungs record`: records each trade of some markets from the streams of a venue; without a key and without an order. */
export async function record(flags: RecordFlags): Promise<number> {
  if (flags.schema === true) return printed(schemaText(tapeJsonSchema()))
  const { venue, market: markets = [], out } = flags
  if (venue === undefined || out === undefined || markets.length === 0) {
    throw usage(
      'record needs --venue, --market and --out',
      'Write: rungs record --venue config/paper.yaml --market BTC_PERP --out FILE',
    )
  }
  const ending = new Shutdown()
  const address = publicVenue(venue)
  const { url } = address
  const { signal } = ending
  const client = clientOf(address, { signal })
  signal.addEventListener('abort', () => void client.close())
  try {
    await refuseUnknownMarkets(client, url, markets, signal)
  } finally {
    await client.close()
  }
  if (signal.aborted) {
    process.stderr.write(`Stopped before ${url} reported its markets: nothing was recorded.\n`)
    return exitCodes.ok
  }
  const began = { now: systemClock.now(), monotonic: systemClock.monotonic() }
  const tape = new TapeWriter({
    path: out,
    begin: {
      at: began.now,
      rungs: packageVersion,
      venue: url,
      profile: null,
      spelling: 'spec',
      speed: 1,
      strategies: [],
    },
    secrets: secretsOf(address),
    onTrouble: (error) => ending.fail(error),
  })
  const virtualTime = new VirtualTime(began)
  const recording = new Recording({ real: systemClock, virtualTime, tape })
  const heard = new Heard(markets)
  const stream = new Stream({
    url: streamUrlOf(address),
    wanted: [{ channel: 'trades', markets }],
    onEvent: (event) => heard.take(event),
    clock: virtualTime.clock,
    openSocket: recording.socketsAround(hiddenSockets(hiding(address))),
  })
  void recording.run()
  process.stderr.write(`Recording trades of ${markets.join(', ')} at ${url}; Ctrl-C stops.\n`)
  if (flags.for !== undefined) setTimeout(() => ending.end(), flags.for).unref()
  await ending.requested
  await stream.close()
  await ending.withoutDeadline(recording.close())
  ending.rethrow()
  return printed(heard.summary(out, flags.json ?? false))
}

/** The counts so far, and what a person should know at once. */
class Heard {
  readonly #trades: Map<string, number>
  #gaps = 0

  constructor(markets: readonly string[]) {
    this.#trades = new Map(markets.map((market) => [market, 0]))
  }

  take(event: StreamEvent): void {
    if (event.kind === 'trades') {
      this.#trades.set(event.market, (this.#trades.get(event.market) ?? 0) + event.trades.length)
    } else if (event.kind === 'disconnected') {
      process.stderr.write(`${printable(event.reason)}; reconnecting.\n`)
    } else if (event.kind === 'gap' && (this.#trades.get(event.market ?? '') ?? 0) > 0) {
      this.#gaps += 1
      process.stderr.write(`Trades of ${event.market} are missing: ${printable(event.reason)}.\n`)
    }
  }

  summary(file: string, asJson: boolean): string {
    const trades = Object.fromEntries(this.#trades)
    if (asJson) return JSON.stringify({ event: 'recorded', file, trades, gaps: this.#gaps })
    const counts = [...this.#trades].map(([market, count]) => `${count} of ${market}`)
    return `${file} holds trades: ${counts.join(', ')}. Convert to market files: npx rungs market ${file} --write FOLDER`
  }
}
