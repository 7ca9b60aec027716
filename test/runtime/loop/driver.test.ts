import { expect, test } from 'vitest'
import { Driver, type NewEvent } from '#src/runtime/loop/driver.ts'
import { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { Command } from '#src/engine/commands.ts'
import type { Event } from '#src/engine/events.ts'
import { ManualClock } from '#src/core/time/clock.ts'

const market = 'BTC_USDT'
const invest: Command = {
  kind: 'invest',
  id: 'i',
  strategy: 's',
  ticker: 'USDT',
  amount: '1',
  reinvest: false,
}
const quoteOf = (bid: number): NewEvent => ({ kind: 'quote', market, bid, ask: null, last: null })
const text = (event: Event) => (event.kind === 'quote' ? `quote ${event.bid}` : event.kind)
const turn = () => new Promise(setImmediate)

/** What happens, in its order; a tick wants something, anything else does not. */
function atWork(
  about: { append?: () => void; commit?: () => void; step?: () => void } = {},
  wanted: readonly Command[] = [invest],
) {
  const heard: string[] = []
  const broken: unknown[] = []
  const clock = new ManualClock(1_790_000_000_000)
  const driver = new Driver({
    venueClock: new VenueClock(clock, 1, clock.now()),
    engine: {
      step(event: Event) {
        about.step?.()
        heard.push(`step ${text(event)}`)
        return { commands: event.kind === 'tick' ? wanted : [] }
      },
    },
    journal: {
      append(event) {
        about.append?.()
        heard.push(`append ${text(event)}`)
      },
      commit() {
        about.commit?.()
        heard.push('commit')
      },
      abandon: () => void heard.push('abandon'),
    },
    onStep: () => {},
    carry: (command) =>
      void heard.push(`carry ${command.kind}${command.kind === 'submit' ? ` ${command.priority}` : ''}`),
    onBroken: (error) => void broken.push(error),
  })
  return { driver, heard, broken }
}

test('no command is executed before its events are on disk', async () => {
  const { driver, heard } = atWork()
  driver.enqueue({ kind: 'tick' })
  driver.enqueue(quoteOf(1))
  expect(heard).toEqual([])
  await turn()
  expect(heard).toEqual([
    'step tick',
    'append tick',
    // Told at once, because the quote would change what it tells of.
    'step carried',
    'append carried',
    'step quote 1',
    'append quote 1',
    'commit',
    'carry invest',
  ])
})

test('the explanation of a command follows it before the next event', async () => {
  const { driver, heard } = atWork()
  driver.enqueue({ kind: 'tick' })
  await turn()
  expect(heard).toEqual(['step tick', 'append tick', 'commit', 'carry invest'])
  driver.enqueue(quoteOf(1))
  expect(heard.slice(4)).toEqual(['step carried', 'append carried', 'step quote 1', 'append quote 1'])
})

test('commands are also explained at the end', async () => {
  const { driver, heard } = atWork()
  driver.enqueue({ kind: 'tick' })
  void driver.close()
  expect(heard.slice(3)).toEqual(['carry invest', 'step carried', 'append carried', 'commit'])
})

test('the first price of a turn is processed at once, and the next ones at its end', async () => {
  const { driver, heard } = atWork()
  driver.enqueue(quoteOf(1))
  expect(heard).toEqual(['step quote 1', 'append quote 1'])
  driver.enqueue(quoteOf(2))
  driver.enqueue(quoteOf(3))
  expect(heard).toHaveLength(2)
  await turn()
  expect(heard).toEqual(['step quote 1', 'append quote 1', 'step quote 3', 'append quote 3'])
  await turn()
  driver.enqueue(quoteOf(4))
  expect(heard.at(-1)).toBe('append quote 4')
})

test('only the newest queued price of a market is processed, and all other events', async () => {
  const { driver, heard } = atWork()
  driver.enqueue({ kind: 'positions', held: {} })
  for (let bid = 1; bid <= 5; bid++) driver.enqueue(quoteOf(bid))
  for (let times = 0; times < 1200; times++) driver.enqueue({ kind: 'positions', held: {} })
  expect(driver.waiting).toBe(1202)
  void driver.flush()
  expect(heard.filter((each) => each.startsWith('step quote'))).toEqual(['step quote 5'])
  expect(heard.filter((each) => each === 'append positions')).toHaveLength(1201)
  expect(heard.at(-1)).toBe('commit')
})

test('events after the close are ignored, and earlier ones are processed', async () => {
  const { driver, heard } = atWork()
  driver.enqueue(quoteOf(1))
  void driver.close()
  driver.enqueue(quoteOf(2))
  await turn()
  expect(heard).toEqual(['step quote 1', 'append quote 1', 'commit'])
})

test('while it is held events wait', async () => {
  const { driver, heard } = atWork()
  driver.hold()
  driver.enqueue(quoteOf(1))
  await turn()
  expect(heard).toEqual([])
  driver.release()
  await turn()
  expect(heard).toEqual(['step quote 1', 'append quote 1'])
})

const refuse = () => {
  throw new Error('the disk is full')
}

test.each([
  ['the engine fails', { step: refuse }, ['abandon']],
  ['a record is refused', { append: refuse }, ['step tick', 'abandon']],
  ['the disk refuses', { commit: refuse }, ['step tick', 'append tick', 'abandon']],
])('when %s no command leaves, and no event is processed any more', async (_, fault, expected) => {
  const { driver, heard, broken } = atWork(fault)
  driver.enqueue({ kind: 'tick' })
  await turn()
  driver.enqueue({ kind: 'tick' })
  await turn()
  void driver.flush()
  expect(heard).toEqual(expected)
  expect(broken).toEqual([new Error('the disk is full')])
})

const submit = (strategy: string, priority: 'exits' | 'entries'): Command => ({
  kind: 'submit',
  chunk: 1,
  strategy,
  orders: [],
  stopOnFail: false,
  priority,
  dueAt: 0,
})

test('exits leave before the entries of other strategies', async () => {
  const wanted = [submit('one', 'entries'), submit('two', 'exits'), invest]
  const { driver, heard } = atWork({}, wanted)
  driver.enqueue({ kind: 'tick' })
  await turn()
  expect(heard.filter((what) => what.startsWith('carry'))).toEqual([
    'carry submit exits',
    'carry invest',
    'carry submit entries',
  ])
})
