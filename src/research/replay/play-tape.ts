import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import type { Signer } from '#src/venues/whitebit/contract/wire/signing.ts'
import { Engine } from '#src/engine/engine.ts'
import type { State } from '#src/engine/state/state.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { seededRandom } from './seeded-random.ts'
import type { Divergence, Request } from './divergence.ts'
import { LoosePlayer } from './loose-player.ts'
import type { Playback } from './playback.ts'
import { StrictPlayer } from './strict-player.ts'
import type { RecordedTape } from '#src/research/recording/read-tape.ts'
import type { TapeRun } from '#src/research/recording/tape.ts'
import { readStrategyText } from '#src/strategy/file/read-strategy.ts'
import type { StrategyFile } from '#src/runtime/compose/strategy-files.ts'
import { whitebitVenue } from '#src/venues/whitebit/adapter/whitebit-venue.ts'
import { startTrading, type Ground, type TradingRuntime } from '#src/runtime/compose/trading.ts'

/** These signatures are not verified: the replay compares what would be signed. */
const nobody: Signer = { key: 'nobody', secret: { sign: () => 'unsigned' } }

export type Played = {
  playback: Playback
  /** The state of the engine at the end. */
  state: State
  /** Why the run ended before its tape did. */
  failure: unknown
}

/** Facts about a venue that were recorded elsewhere. */
const unknown: TapeRun = {
  monotonic: 0,
  seed: '',
  terms: {
    url: 'https://venue.invalid',
    nonce: 'strict',
    clientIds: 'unproven',
    batchMax: 20,
    settleMs: 0,
    leverage: null,
    shortSide: true,
    markets: null,
  },
  strategies: [],
  state: null,
}

/** Repeats the run of a tape with these strategies: unchanged, or as far as the tape has answers. */
export async function playTape(
  tape: RecordedTape,
  files: readonly StrategyFile[],
  manner: {
    loosely?: { onUnsent: (request: Request) => void } | undefined
    /** Further differences after the first, with the state of the engine at that moment. */
    looking?: { most: number; onDifference: (found: Divergence, state: State) => void }
  } = {},
): Promise<Played> {
  const run = tape.begin.run ?? unknown
  const { loosely, looking } = manner
  const told = looking && {
    most: looking.most,
    onDifference: (found: Divergence) => looking.onDifference(found, machine.state),
  }
  const playback = loosely ? new LoosePlayer(tape, loosely.onUnsent) : new StrictPlayer(tape, run, told)
  const { virtualTime } = playback
  const { clock, defer } = virtualTime
  const { speed, spelling } = tape.begin
  const random = seededRandom(run.seed)
  // Reasons are computed on request, which happens once.
  const machine = new Engine(stateOf(run), { tells: false })
  let [trading, failure]: [TradingRuntime | undefined, unknown] = [undefined, undefined]
  const fail = (error: unknown) => {
    failure ??= error
  }
  const client = createClient({
    transport: playback.transport,
    key: {
      credentials: nobody,
      nonces: new Nonces({ clock, mode: run.terms.nonce, memory: playback.memory }),
    },
    clock,
    random,
    spelling,
    stopOnFailAnswer: run.terms.stopOnFailAnswer,
    keepRates: speed === 1,
  })
  const terms = { ...run.terms, leverage: run.terms.leverage ?? undefined, speed }
  const starting = startTrading(files, {
    venue: whitebitVenue({ client, clock, terms, openSocket: playback.openSocket, random }),
    clock,
    defer,
    tag: run.tag,
    // Bots of older tapes traded beside such orders.
    foundOrders: run.foundOrders ?? 'ignore',
    // As the tape: a run that refused has none.
    setsLeverage: true,
    journal: journalOf(tape, machine),
    prices: () => playback.prices(),
    onEvents: () => {},
    onBroken: (error) => (error === refused ? undefined : fail(error)),
  })
  void (async () => {
    trading = await starting
  })().catch(fail)
  await playback.play({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine that wrote it takes it
    operate: (act) => void trading?.bot.operate(act as Extract<NewEvent, { kind: 'operator' }>),
    signal: (name, value) => void trading?.bot.signal({ name, value }),
    reload(name, text) {
      const read = readStrategyText(text)
      // If the strategy is another one now, its recorded state is not used.
      const isRecorded = files.some((file) => file.read.strategy.name === name && isOn(tape, file))
      if (!Array.isArray(read) && isRecorded) void trading?.bot.reload(read)
    },
    end: () => void trading?.end(),
  })
  return { playback, state: machine.state, failure }
}

/** Why a bot is stopped that was stopped in the recording. */
const refused = new Error('the journal refused this write in the recording')

/** In memory only; it fails where the recorded journal failed. */
function journalOf({ events }: RecordedTape, machine: Engine): Ground['journal'] {
  const broken = events.find((event) => event.kind === 'broken')?.call
  let call = 0
  const take = () => {
    call += 1
    if (call === broken) throw refused
  }
  return { machine, append: take, commit: take, abandon: () => {} }
}

/** The strategies of the recorded run. */
export function strategiesOf({ begin }: RecordedTape, path: string): StrategyFile[] {
  return (begin.run?.strategies ?? []).map(({ path: file, text }) => {
    const read = readStrategyText(text)
    const named = `${file} (on ${path})`
    if (!Array.isArray(read))
      return { path: named, paths: [named], read, sourceOf: () => ({ path: named, text }) }
    throw new BotError('TAPE_INVALID', {
      seen: `${named}:${read[0]?.line ?? 1}: ${read[0]?.message ?? ''}`,
      fix: 'This version cannot read the strategy of the tape: pass a current strategy file',
    })
  })
}

function isOn({ begin }: RecordedTape, { read }: StrategyFile): boolean {
  return begin.run?.strategies.some(({ text }) => text === read.text()) ?? false
}

function stateOf({ state }: TapeRun): State | null {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine itself looks at the form of it
  return (state ?? null) as State | null
}
