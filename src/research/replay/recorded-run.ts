import { createHash, randomBytes } from 'node:crypto'
import { hiddenSockets } from '#src/venues/whitebit/client/streams/socket.ts'
import type { RunningBot } from '#src/runtime/loop/bot.ts'
import { VirtualTime } from '#src/runtime/virtual-time.ts'
import type { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { FoundChoice } from '#src/engine/events.ts'
import type { Engine } from '#src/engine/engine.ts'
import type { BotError } from '#src/core/errors/bot-error.ts'
import { seededRandom } from './seeded-random.ts'
import { Recording } from '#src/research/recording/recording.ts'
import { TapeWriter } from '#src/research/recording/tape-writer.ts'
import type { VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import { systemClock } from '#src/core/time/clock.ts'
import type { StrategyFile } from '#src/runtime/compose/strategy-files.ts'
import type { Ground, TradingRuntime } from '#src/runtime/compose/trading.ts'
import type { WhitebitTerms } from '#src/venues/whitebit/adapter/whitebit-venue.ts'

type About = {
  path: string
  /** Of the package. */
  version: string
  venue: VenueSettings
  terms: WhitebitTerms
  files: readonly StrategyFile[]
  machine: Engine
  /** Of a new journal. */
  tag: string
  foundOrders?: FoundChoice | undefined
  secrets: readonly Secret[]
  /** Removes secrets from what the venue sends. */
  hide: (text: string) => string
  onTrouble: (error: BotError) => void
}

/** `--record FILE`: records a run on a tape, from its beginning. */
export function recordedRun(about: About) {
  const began = { now: systemClock.now(), monotonic: systemClock.monotonic() }
  const seed = randomBytes(16).toString('hex')
  const virtualTime = new VirtualTime(began)
  const recording = new Recording({ real: systemClock, virtualTime, tape: tapeOf(about, began, seed) })
  const random = seededRandom(seed)
  return {
    /** For the client. */
    client: { clock: virtualTime.clock, random, around: recording.around.bind(recording) },
    /** For the nonces of the client. */
    nonces: { clock: virtualTime.clock, around: recording.memoryAround.bind(recording) },
    /** For the bot. */
    ground: { clock: virtualTime.clock, defer: virtualTime.defer },
    /** For its streams. */
    openSocket: recording.socketsAround(hiddenSockets(about.hide)),
    pricesFrom(read: Ground['prices']): Ground['prices'] {
      return (markets, now) => {
        const found = read(markets, now)
        const files = [...found.prices].map(([market, { at, units }]) => [
          market,
          { at: [...at], units: [...units] },
        ])
        const prices = Object.fromEntries(files)
        recording.note((at) => ({ kind: 'prices', at, begins: found.begins, prices }))
        return found
      }
    },
    journalAround: (inner: Ground['journal']) => recordedJournal(recording, inner),
    /** Called at the moment at which the bot starts. */
    begin: () => void recording.run(),
    botAround: (bot: RunningBot) => recordedBot(recording, bot),
    end: (trading: TradingRuntime) =>
      recording.deliverInput(
        (at) => ({ kind: 'ending', at }),
        () => trading.end(),
      ),
    close: () => recording.close(),
  }
}

function tapeOf(about: About, began: { now: number; monotonic: number }, seed: string): TapeWriter {
  const { path, venue, terms, files, machine, tag, foundOrders = 'stop', secrets, onTrouble } = about
  const { url, nonce, clientIds, batchMax, settleMs, leverage = null, shortSide, markets, limits } = terms
  const { spelling, stopOnFailAnswer } = venue
  const texts = files.map(({ path: file, read }) => ({
    path: file,
    name: read.strategy.name,
    text: read.text(),
  }))
  const ofVenue = { url, nonce, clientIds, batchMax, settleMs, leverage, shortSide, markets }
  return new TapeWriter({
    path,
    secrets,
    onTrouble,
    begin: {
      at: began.now,
      rungs: about.version,
      venue: url,
      profile: null,
      spelling,
      speed: terms.speed,
      strategies: texts.map(({ name, text }) => ({
        name,
        hash: createHash('sha256').update(text).digest('hex'),
      })),
      run: {
        monotonic: began.monotonic,
        seed,
        ...(machine.state.at === 0 && { tag }),
        foundOrders,
        terms: { ...ofVenue, ...(limits && { limits }), ...(stopOnFailAnswer && { stopOnFailAnswer }) },
        strategies: texts.map(({ path: file, text }) => ({ path: file, text })),
        state: machine.state.at === 0 ? null : machine.state,
      },
    },
  })
}

/** Records the first error of the journal; after it the bot decides nothing. A commit that fails later is not recorded. */
function recordedJournal(recording: Recording, inner: Ground['journal']): Ground['journal'] {
  let call = 0
  const recorded = <Result>(act: () => Result): Result => {
    call += 1
    try {
      return act()
    } catch (error) {
      recording.note((at) => ({ kind: 'broken', at, call }))
      throw error
    }
  }
  return {
    machine: inner.machine,
    append: (event, step) => recorded(() => inner.append(event, step)),
    commit: () => recorded(() => inner.commit()),
    abandon: (error) => inner.abandon(error),
  }
}

/** Records the effects of operators, signals and changed files on the bot. */
function recordedBot(
  recording: Recording,
  bot: RunningBot,
): Pick<RunningBot, 'state' | 'waiting' | 'operate' | 'signal' | 'reload'> {
  return {
    get state() {
      return bot.state
    },
    get waiting() {
      return bot.waiting
    },
    operate: (act) =>
      recording.deliverInput(
        (at) => ({ kind: 'operator', at, act }),
        () => bot.operate(act),
      ),
    signal: ({ name, value }) =>
      recording.deliverInput(
        (at) => ({ kind: 'signal', at, name, value }),
        () => bot.signal({ name, value }),
      ),
    reload: (read) =>
      recording.deliverInput(
        (at) => ({ kind: 'reloaded', at, name: read.strategy.name, text: read.text() }),
        () => bot.reload(read),
      ),
  }
}
