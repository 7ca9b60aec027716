import { createHash, randomBytes } from 'node:crypto'
import { hiddenSockets } from '#src/venues/whitebit/client/streams/socket.ts'
import type { RunningBot } from '#src/runtime/loop/bot.ts'
import { VirtualTime } from '#src/runtime/virtual-time.ts'
import type { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { Engine } from '#src/engine/engine.ts'
import type { BotError } from '#src/core/errors/bot-error.ts'
import { seededRandom } from '#src/research/replay/seeded-random.ts'
import { Recording } from '#src/research/recording/recording.ts'
import { TapeWriter } from '#src/research/recording/tape-writer.ts'
import type { VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { packageVersion } from '#src/cli/program/package-version.ts'
import type { StrategyFile } from '#src/runtime/compose/strategy-files.ts'
import type { Ground, Trading } from '#src/runtime/compose/trading.ts'
import type { WhitebitTerms } from '#src/venues/whitebit/adapter/whitebit-venue.ts'
import { hiding } from '#src/cli/files/venue-access.ts'

/** `--record FILE`: the tape of a run, from its beginning. */
export function recordedRun(about: {
  path: string
  venue: VenueSettings
  terms: WhitebitTerms
  files: readonly StrategyFile[]
  machine: Engine
  secrets: readonly Secret[]
  onTrouble: (error: BotError) => void
}) {
  const { path, venue, terms, files, machine, secrets, onTrouble } = about
  const began = { now: systemClock.now(), monotonic: systemClock.monotonic() }
  const seed = randomBytes(16).toString('hex')
  const {
    url,
    nonce,
    clientIds,
    batchMax,
    settleMs,
    leverage = null,
    shortSide,
    markets,
    speed,
    limits,
  } = terms
  const texts = files.map(({ path: file, read }) => ({
    path: file,
    name: read.strategy.name,
    text: read.text(),
  }))
  const tape = new TapeWriter({
    path,
    secrets,
    onTrouble,
    begin: {
      at: began.now,
      rungs: packageVersion,
      venue: url,
      profile: null,
      spelling: venue.spelling,
      speed,
      strategies: texts.map(({ name, text }) => ({
        name,
        hash: createHash('sha256').update(text).digest('hex'),
      })),
      run: {
        monotonic: began.monotonic,
        seed,
        terms: {
          url,
          nonce,
          clientIds,
          batchMax,
          settleMs,
          leverage,
          shortSide,
          markets,
          ...(limits && { limits }),
          ...(venue.stopOnFailAnswer && { stopOnFailAnswer: venue.stopOnFailAnswer }),
        },
        strategies: texts.map(({ path: file, text }) => ({ path: file, text })),
        state: machine.state.at === 0 ? null : machine.state,
      },
    },
  })
  const standstill = new VirtualTime(began)
  const recording = new Recording({ real: systemClock, standstill, tape })
  const random = seededRandom(seed)
  return {
    /** For the client. */
    between: {
      clock: standstill.clock,
      random,
      around: recording.around.bind(recording),
      memoryAround: recording.memoryAround.bind(recording),
    },
    /** For the bot. */
    ground: { clock: standstill.clock, defer: standstill.defer },
    /** For its streams. */
    openSocket: recording.socketsAround(hiddenSockets(hiding(venue))),
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
    /** The same journal; after its first error the bot decides nothing more. A commit that fails later is not on the tape. */
    journalAround(inner: Ground['journal']): Ground['journal'] {
      let call = 0
      const told = <Result>(act: () => Result): Result => {
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
        append: (event, step) => told(() => inner.append(event, step)),
        commit: () => told(() => inner.commit()),
        abandon: (error) => inner.abandon(error),
      }
    },
    /** To be called in the moment in which the bot begins. */
    begin: () => void recording.run(),
    /** The same bot, for whoever does something to it. */
    handled: (bot: RunningBot): Pick<RunningBot, 'state' | 'waiting' | 'operate' | 'reload'> => ({
      get state() {
        return bot.state
      },
      get waiting() {
        return bot.waiting
      },
      operate: (act) =>
        recording.act(
          (at) => ({ kind: 'operator', at, act }),
          () => bot.operate(act),
        ),
      reload: (read) =>
        recording.act(
          (at) => ({ kind: 'reloaded', at, name: read.strategy.name, text: read.text() }),
          () => bot.reload(read),
        ),
    }),
    end: (trading: Trading) =>
      recording.act(
        (at) => ({ kind: 'ending', at }),
        () => trading.end(),
      ),
    close: () => recording.close(),
  }
}
