import { expect, test } from 'vitest'
import { Driver } from '#src/runtime/loop/driver.ts'
import { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { account, begin, engine } from '#test/journal/counting-machine.ts'
import { MemoryDisk, MemoryJournal } from '#test/journal/memory-journal.ts'
import { seed } from '#test/properties/runs.ts'

const beginsAt = 1_790_000_000_000
const turn = () => new Promise(setImmediate)

/** A driver over a slow disk. Each quote at a time that is divisible by three sends an order. */
function atWork() {
  const disk = new MemoryDisk()
  const journal = new MemoryJournal(disk, { account, engine, begin })
  const clock = new ManualClock(beginsAt)
  const carried: { chunk: number; at: number; isDurable: boolean }[] = []
  const broken: unknown[] = []
  const driver = new Driver({
    venueClock: new VenueClock(clock, 1, clock.now()),
    engine: journal.machine,
    journal,
    onStep: () => {},
    carry(command, at) {
      if (command.kind !== 'submit') return
      const text = JSON.stringify(command)
      const isDurable = disk.stored.some(({ commands }) => commands.includes(text))
      carried.push({ chunk: command.chunk, at, isDurable })
    },
    onBroken: (error) => void broken.push(error),
  })
  const quote = () =>
    driver.enqueue({ kind: 'quote', market: 'BTC_PERP', bid: 60_000, ask: 60_001, last: null })
  /** Turns the clock to the next time at which a quote sends an order, and emits this quote. */
  const send = () => {
    clock.advance(3 - (clock.now() % 3))
    quote()
  }
  return { disk, journal, clock, driver, carried, broken, quote, send }
}

test('no command leaves before the disk has what led to it', async () => {
  const { disk, journal, carried, send } = atWork()
  send()
  await turn()
  expect(journal.machine.state.nextChunk).toBe(2)
  expect(carried).toEqual([])
  disk.sync()
  await turn()
  expect(carried).toMatchObject([{ chunk: 1, isDurable: true }])
})

test('steps continue during a commit, and their commands leave after the next one, in order', async () => {
  const { disk, carried, send } = atWork()
  for (let count = 0; count < 3; count++) {
    send()
    await turn()
  }
  expect(carried).toEqual([])
  for (const chunks of [[1], [1, 2], [1, 2, 3]]) {
    disk.sync()
    await turn()
    expect(carried.map(({ chunk }) => chunk)).toEqual(chunks)
  }
})

test('the time of a commit counts against the deadline of its commands', async () => {
  const { disk, clock, carried, send } = atWork()
  send()
  const decidedAt = clock.now()
  clock.advance(250)
  disk.sync()
  await turn()
  expect(carried).toMatchObject([{ at: decidedAt + 250 }])
})

test('when the disk refuses, no command leaves, and no event is processed any more', async () => {
  const { disk, journal, driver, carried, broken, send } = atWork()
  send()
  send()
  await turn()
  const full = new Error('the disk is full')
  disk.refuse(full)
  await turn()
  expect(broken).toEqual([full])
  disk.sync()
  await driver.flush()
  const { nextChunk } = journal.machine.state
  send()
  await turn()
  expect(journal.machine.state.nextChunk).toBe(nextChunk)
  expect(carried).toEqual([])
  expect(disk.stored).toEqual([])
})

test('flush and close resolve when all events are durable, and commands have left by then', async () => {
  const { disk, clock, driver, carried, quote, send } = atWork()
  send()
  clock.advance(1)
  quote()
  let isDurable = false
  const closed = Promise.resolve(driver.close()).then(() => (isDurable = true))
  await turn()
  expect(isDurable).toBe(false)
  disk.sync()
  await turn()
  disk.sync()
  await closed
  expect(disk.stored.map(({ event }) => JSON.parse(event).kind)).toEqual(['quote', 'carried', 'quote'])
  expect(carried).toHaveLength(1)
})

test('whenever the disk stores something, all commands that have left are durable, each of them once', async () => {
  const { disk, clock, driver, carried, quote } = atWork()
  const chance = chanceOf(seed)
  for (let count = 0; count < 400; count++) {
    clock.advance(chance.below(3))
    quote()
    if (chance.percent(50)) await turn()
    if (chance.percent(30)) disk.sync()
  }
  const closed = driver.close()
  for (let count = 0; count < 400; count++) {
    disk.sync()
    await turn()
  }
  await closed
  const sent = disk.stored.flatMap(({ commands }) => commands).map((text) => Number(JSON.parse(text).chunk))
  expect(sent.length).toBeGreaterThan(50)
  expect(carried.map(({ chunk }) => chunk)).toEqual(sent)
  expect(carried.filter(({ isDurable }) => !isDurable)).toEqual([])
})
