import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Event, OrderAnswer } from '#src/engine/events.ts'
import { Engine } from '#src/engine/engine.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import type { Step } from '#src/engine/step-context.ts'
import { openJournal, type SqliteJournal } from '#src/journal/sqlite/journal.ts'
import { EngineHarness, minute, progress, submitsOf, venue } from '#test/engine/support/engine-harness.ts'
import { chanceOf, type Chance } from '../fuzz/chance.ts'
import { seed, times } from '../properties/runs.ts'
import { strategyFiles } from '#test/strategy/strategy-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-journal-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Appends each of its steps before the next one, as a running bot does: the journal stores hashes of the state between them. */
class Appending extends Engine {
  journal: SqliteJournal<Engine> | undefined

  override step(event: Event): Step {
    const step = super.step(event)
    this.journal?.append(event, step)
    return step
  }
}

const open = (directory: string) =>
  openJournal(directory, { account: 'harness', engine: 'harness', begin: (state) => new Appending(state) })

function openLive(directory: string): SqliteJournal<Appending> {
  const journal = open(directory)
  journal.machine.journal = journal
  return journal
}

const strategies = strategyFiles.map(({ text }) => ({ name: /^name: (\w+)$/m.exec(text)?.[1] ?? '', text }))
const feeds = [
  ...['BTC_USDT', 'SOL_PERP', 'ETH_PERP'].map((market) => [market, '1m', 60_000] as const),
  ...['BTC_PERP', 'BTC_USDT', 'ETH_USDT'].map((market) => [market, '1h', 3_600_000] as const),
  ['ETH_USDT', '5m', 300_000] as const,
  ['SOL_USDT', '15m', 900_000] as const,
]
const markets = Object.keys(venue.markets)
const prices: Record<string, number> = { BTC: 60_000, ETH: 3000, SOL: 150 }

/** A life of all strategies at once, drawn by chance: it wanders, and orders are filled, refused or lost sight of. */
class Wanderer {
  readonly harness: EngineHarness
  readonly #chance: Chance
  readonly #waiting: {
    chunk: number
    orders: { id: string; price: string; amount: string; ioc: boolean }[]
  }[] = []
  #taken = 0

  constructor(engine: Engine, chance: Chance) {
    this.harness = new EngineHarness([])
    this.harness.engine = engine
    this.harness.steps.length = 0
    this.#chance = chance
    this.harness.tell({ kind: 'began', venue, strategies })
    for (const [market, interval] of feeds) {
      this.harness.past(
        market,
        interval,
        Array.from({ length: 60 }, (_, n) => this.#price(market) * (1 + (n % 7) / 1000)),
      )
    }
  }

  #price(market: string): number {
    return prices[market.slice(0, 3)] ?? 0
  }

  /** One more turn; what the engine was told in it, with its steps, is handed on. */
  advance(hand: (told: EngineHarness['steps']) => void): void {
    const { harness } = this
    const chance = this.#chance
    const before = harness.at
    harness.at += 1 + chance.below(minute / 10)
    for (const [market, interval, length] of feeds) {
      if (Math.floor(harness.at / length) === Math.floor(before / length)) continue
      harness.candle(market, interval, this.#price(market) * (1 + (chance.below(100) - 50) / 10_000), 0.001)
    }
    const market = chance.oneOf(markets)
    const price = this.#price(market) * (1 + (chance.below(1000) - 500) / 100_000)
    const what = chance.below(100)
    const [next] = this.#waiting
    if (next !== undefined && what < 50) {
      this.#waiting.shift()
      harness.tell({
        kind: 'answered',
        chunk: next.chunk,
        orders: next.orders.map((order) => this.#answer(order)),
      })
    } else if (what < 70) {
      const resting = harness.resting()
      if (resting.length > 0) harness.fill(chance.oneOf(resting), chance.oneOf([0.5, 1]))
    } else if (what < 80) harness.wait(1 + chance.below(5000))
    else harness.quote(market, price)
    const told = harness.steps.slice(this.#taken)
    this.#taken = harness.steps.length
    for (const { step } of told) this.#waiting.push(...submitsOf(step))
    hand(told)
  }

  /** The operator resolves unknown outcomes and ends halts. */
  tidy(): void {
    const { harness } = this
    const reason = 'the next part of its life'
    for (const { id, status } of Object.values(harness.engine.state.orders))
      if (status === 'doubtful')
        harness.tell({ kind: 'operator', act: 'resolve', order: id, as: 'absent', reason })
    harness.tell({ kind: 'operator', act: 'resume', strategy: null, reason })
  }

  #answer(order: { price: string; amount: string; ioc: boolean }): OrderAnswer {
    const drawn = this.#chance.below(100)
    if (drawn < 1) return { kind: 'unknown', reason: 'cut off' }
    if (drawn < 8) return { kind: 'refused', code: 30, message: 'no', alreadyUsed: false }
    if (drawn < 10) return { kind: 'not-sent', cause: 'late', reason: 'waited too long' }
    return { kind: 'accepted', ...progress(order, order.ioc ? order.amount : '0', order.ioc) }
  }
}

const crashes = times(4, 20, 1)

test(`the engine with all strategies comes back from ${crashes} crashes as it was, and decides as if there had been none`, () => {
  const chance = chanceOf(seed)
  const journal = openLive(join(folder, 'life'))
  const wanderer = new Wanderer(journal.machine, chance)
  let commands = 0
  for (let crash = 0; crash < crashes; crash++) {
    // An order whose outcome stays unknown halts its strategy, and a halted strategy decides little.
    wanderer.tidy()
    for (let turn = 0; turn < 200; turn++) {
      wanderer.advance((told) => {
        journal.commit()
        for (const { step } of told) commands += step.commands.length
      })
    }
    const left = join(folder, `crash-${crash}`)
    cpSync(join(folder, 'life'), left, { recursive: true })
    const again = open(left)
    expect(JSON.stringify(again.machine.state)).toBe(JSON.stringify(journal.machine.state))
    for (let turn = 0; turn < 50; turn++) {
      wanderer.advance((told) => {
        journal.commit()
        for (const { event, step } of told) expect(again.machine.step(event)).toEqual(step)
      })
    }
    expect(JSON.stringify(again.machine.state)).toBe(JSON.stringify(journal.machine.state))
    again.close()
  }
  expect(commands).toBeGreaterThan(crashes * 5)
  journal.close()
})

/** Of another mind about everything: it would have sent nothing. */
class Unwilling extends Engine {
  override recall(...record: Parameters<Engine['recall']>): void {
    super.recall(...record)
    for (const own of Object.values(this.state.strategies)) own.halted ??= 'unwilling'
  }
}

test.each([
  ['decides the same', Engine],
  ['would have sent nothing', Unwilling],
])(
  'an engine of another version that %s knows every order and position of a run that was cut off',
  (_, Other) => {
    const chance = chanceOf(seed)
    const [lived, left] = [join(folder, `lived-${Other.name}`), join(folder, `left-${Other.name}`)]
    const journal = openLive(lived)
    const wanderer = new Wanderer(journal.machine, chance)
    for (let turn = 0; turn < 600; turn++) wanderer.advance(() => journal.commit())
    cpSync(lived, left, { recursive: true })
    const again = openJournal(left, {
      account: 'harness',
      engine: 'harness 2',
      begin: (state) => new Other(state),
    })
    expect(again.recovery).toMatchObject({ recalled: 'harness' })
    expect(again.recovery.redone).toBeGreaterThan(600)
    expect(knownIn(again.machine.state)).toEqual(knownIn(journal.machine.state))
    // From here on both begin as after any crash: only orders whose outcome is unknown may be sent again with their id.
    const before = Object.values(journal.machine.state.orders)
    const proven = new Set(before.flatMap(({ id, status }) => (isUnproven(status) ? [] : [id])))
    const began = { kind: 'began', at: wanderer.harness.at, venue, strategies } as const
    const { commands } = again.machine.step(began)
    const sent = commands.flatMap((command) => (command.kind === 'submit' ? command.orders : []))
    expect(sent.filter(({ id }) => proven.has(id))).toEqual([])
    const onTheWay = Object.values(again.machine.state.orders).filter(isOnItsWay)
    expect(new Set(onTheWay.map(({ id }) => id))).toEqual(new Set(sent.map(({ id }) => id)))
    again.close()
    journal.close()
  },
)

function isUnproven(status: Order['status']): boolean {
  return status === 'sending' || status === 'doubtful'
}

function isOnItsWay({ status }: Order): boolean {
  return status === 'sending'
}

/** Events and sent orders, which no version of the engine may change. */
function knownIn({ orders, strategies, nextChunk }: State) {
  return {
    nextChunk,
    orders: Object.values(orders).map(({ id, status, price, amount, filled, money, fee, sentAt }) =>
      [id, status, price, amount, filled, money, fee, sentAt].join(' '),
    ),
    strategies: Object.values(strategies).map(({ holdings, ladders }) => ({
      holdings,
      ladders: Object.values(ladders).map(({ held, open: alive, generations }) => ({
        held,
        alive,
        generations,
      })),
    })),
  }
}
