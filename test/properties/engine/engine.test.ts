import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wholeExplanations, type Explanation } from '#src/engine/explain/explanation.ts'
import { Engine } from '#src/engine/engine.ts'
import { replayExplanation } from '#test/engine/support/explanation-replay.ts'
import { missingMirrors } from '#src/engine/exits/mirrors.ts'
import { isFrozen, stopReason } from '#src/engine/rules/halts.ts'
import {
  doubtfulOrders,
  openEntriesCount,
  openOrdersOf,
  openOrdersOfLadder,
  openOrdersOfStrategy,
  openParts,
  secondsOf,
} from '#src/engine/state/open-orders.ts'
import { readExitLabel } from '#src/strategy/schema/exit-labels.ts'
import type { Order } from '#src/engine/state/state.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { acts, copyOf, play } from './random-events.ts'
import { runs } from '#test/properties/runs.ts'

test('no level ever has two orders, no id repeats, and a stopped strategy sends nothing', () => {
  let sent = 0
  let again = 0
  let left = 0
  let after = 0
  fc.assert(
    fc.property(acts, (acts) => {
      const used = new Map<string, string>()
      const faults: string[] = []
      play(acts, (event, step, { state }, before) => {
        const hold = (what: string, isSo: boolean) => {
          if (!isSo) faults.push(`${what}, at ${state.at}`)
        }
        const alive = Object.values(state.orders).filter(({ status }) => status !== 'ended')
        const ids = alive.map(({ id }) => id)
        const ladders = Object.values(state.strategies).flatMap((own) => Object.values(own.ladders))
        const open = ladders.flatMap((ladder) => Object.values(ladder.open))
        hold('ladders name the orders that live', isSame(open.toSorted(), ids.toSorted()))
        // The kept index equals a search of all orders.
        const kept = openOrdersOf(state)
        hold('what is kept of them is in their order', isSame([...kept.keys()], ids))
        for (const order of kept.values()) hold('it is the order itself', order === state.orders[order.id])
        for (const name of Object.keys(state.strategies)) {
          const own = alive.filter(({ strategy }) => strategy === name)
          hold('a strategy knows its open orders', areSame(openOrdersOfStrategy(state, name), own))
        }
        const doubtful = alive.filter(({ status }) => status === 'doubtful')
        hold('the orders with unknown outcome are known', areSame(doubtfulOrders(state), doubtful))
        for (const ladder of ladders) {
          const known = openOrdersOfLadder(state, ladder)
          hold('each order of a ladder is known', known.size === Object.keys(ladder.open).length)
          const entries = [...known.values()].filter(({ role }) => role === 'entry')
          hold('the entries of a ladder are counted', openEntriesCount(state, ladder) === entries.length)
          const parts = [...known.values()].filter(
            ({ level }) => readExitLabel(level)?.name === 'take_profit',
          )
          hold('the parts of the take profit are known', areSame(openParts(state, ladder), parts))
          const seconds = [...known].filter(([label, { level }]) => label !== level).map(([, order]) => order)
          hold('second orders of a level are known', areSame(secondsOf(state, ladder), seconds))
          for (const [label, order] of known) {
            hold('an order is known by its label', ladder.open[label] === order.id)
            hold('it is the order that is kept', order === kept.get(order.id))
            // A list may show an order that an answer had denied, while its level has another one. A process that ends and
            // a stop with exits cancel nothing: the next process and `resume` do.
            const isCancelled =
              state.ending || isFrozen(state) || order.withdrawing || order.withdrawAfter > 0
            hold('a level has one order', label === order.level || (label === order.id && isCancelled))
          }
          const missing = Object.keys(ladder.exits.mirrors).filter((level) => !known.has(`m${level}`))
          const found = missingMirrors(state, ladder).map(([level]) => level)
          hold('mirrors that are missing are known', isSame(found.toSorted(), missing.toSorted()))
          const numbers = found.map((level) => Number(/\d+/.exec(level)?.[0]))
          hold(
            'they come by rung number',
            numbers.every((number, at) => at === 0 || numbers[at - 1]! <= number),
          )
        }
        for (const command of step.commands) {
          if (command.kind !== 'submit') continue
          sent += command.orders.length
          hold('nothing is sent at the end', !state.ending)
          for (const { role } of command.orders)
            hold('nothing stands in its way', stopReason(state, command.strategy, role) === undefined)
          const isStopped = state.stopped !== null || state.strategies[command.strategy]?.halted !== null
          if (command.orders.some(({ role }) => role === 'entry')) hold('entries are not stopped', !isStopped)
          else if (isStopped) after += 1
          hold('it is not longer than the venue takes', command.orders.length <= state.venue.batchMax)
          hold('it is remembered', Object.hasOwn(state.chunks, command.chunk))
          for (const { id, price, amount, side, generation, role } of command.orders) {
            if (generation > 1) again += 1
            if (role === 'exit') left += 1
            const content = `${side} ${amount} ${price}`
            // An id repeats only for the same order, while its outcome is unknown.
            if (used.has(id)) {
              const status = before.get(id)
              hold('an id is used for one order', used.get(id) === content)
              const isUnknown = status === 'doubtful' || (status === 'sending' && event.kind !== 'tick')
              hold('an id is used again only in doubt', isUnknown)
            }
            used.set(id, content)
          }
        }
        if (event.kind === 'operator' && event.act === 'stop')
          for (const command of step.commands)
            hold('a stop sends only exits', command.kind !== 'submit' || command.priority === 'exits')
      })
      expect(faults).toEqual([])
    }),
    runs(25, 300, 4),
  )
  // Six other seeds had at least 441, 44, 78 and 2, and 30 reports in the test without explanations.
  expect(sent).toBeGreaterThan(200)
  expect(again).toBeGreaterThan(20)
  expect(left).toBeGreaterThan(30)
  // Exits while entries are frozen.
  expect(after).toBeGreaterThan(0)
})

/** Compares texts. An `expect` for each comparison takes longer than the engine. */
function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((each, index) => each === others[index])
}

/** The same orders, in any order. */
function areSame(some: Iterable<Order>, others: Iterable<Order>): boolean {
  return isSame(sortedIds(some), sortedIds(others))
}

function sortedIds(orders: Iterable<Order>): string[] {
  return [...orders].map(({ id }) => id).toSorted()
}

test('the state of an engine is plain JSON: another engine continues from it with the same steps', () => {
  fc.assert(
    fc.property(acts, fc.nat(100), (acts, later) => {
      const steps: string[] = []
      const states: string[] = []
      const events = play(acts, (_, step, { state }) => {
        if (steps.length % 10 === 0 && !isDeepStrictEqual(copyOf(state), state))
          expect(copyOf(state)).toEqual(state)
        steps.push(JSON.stringify(step))
        states.push(JSON.stringify(state))
      })
      const again = new Engine(null)
      const cut = later % events.length
      let restored: Engine | undefined
      for (const [index, event] of events.entries()) {
        expect(JSON.stringify(again.step(copyOf(event)))).toBe(steps[index])
        expect(JSON.stringify(again.state)).toBe(states[index])
        if (restored) {
          expect(JSON.stringify(restored.step(copyOf(event)))).toBe(steps[index])
          expect(JSON.stringify(restored.state)).toBe(states[index])
        } else if (index === cut) restored = new Engine(copyOf(again.state))
      }
    }),
    runs(6, 120, 2),
  )
})

test('an engine without explanations makes the same decisions', () => {
  let reported = 0
  fc.assert(
    fc.property(acts, (acts) => {
      const commands: string[] = []
      const events = play(acts, (_, step) => {
        commands.push(JSON.stringify(step.commands))
        reported += step.decisions.length
      })
      const silent = new Engine(null, { tells: false })
      for (const [index, event] of events.entries()) {
        const step = silent.step(copyOf(event))
        expect(JSON.stringify(step.commands)).toBe(commands[index])
        expect(step.decisions).toEqual([])
      }
    }),
    runs(5, 200, 2),
  )
  expect(reported).toBeGreaterThan(10)
})

test('every decision can be repeated from the inputs in its explanation', () => {
  let judged = 0
  fc.assert(
    fc.property(acts, fc.nat(1000), (acts, chance) => {
      const decisions: { decision: Explanation; text: string }[] = []
      play(acts, (_, { decisions: some }, { state }) => {
        for (const decision of wholeExplanations(some))
          decisions.push({
            decision: copyOf(decision),
            text: state.strategies[decision.strategy]?.text ?? '',
          })
      })
      for (const index of [chance, chance * 7, chance * 13]) {
        const { decision, text } = decisions[index % decisions.length] ?? {}
        if (!decision || text === undefined) continue
        judged += 1
        expect(copyOf(replayExplanation(decision, text))).toEqual(decision)
      }
    }),
    runs(20, 200, 18),
  )
  expect(judged).toBeGreaterThan(50)
})

test('the holdings of a strategy equal the sum of its fills, whatever reports them, in any order and number', () => {
  let fills = 0
  fc.assert(
    fc.property(acts, (acts) => {
      const sums = new Map<string, Decimal>()
      play(acts, (_, { notes }, { state }) => {
        for (const note of notes) {
          if (note.type !== 'fill') continue
          fills += 1
          const key = `${note.strategy}.${note.ladder}`
          const amount = new Decimal(note.side === 'buy' ? note.amount : `-${note.amount}`)
          sums.set(key, amount.plus(sums.get(key) ?? 0))
        }
        for (const [strategy, { ladders, holdings }] of Object.entries(state.strategies)) {
          let [ofLadders, ofMarkets] = [new Decimal(0), new Decimal(0)]
          for (const [ladder, { held }] of Object.entries(ladders)) {
            expect(held.position).toBe((sums.get(`${strategy}.${ladder}`) ?? new Decimal(0)).toFixed())
            ofLadders = ofLadders.plus(held.position)
          }
          for (const { position } of Object.values(holdings)) ofMarkets = ofMarkets.plus(position)
          expect(ofMarkets.toFixed()).toBe(ofLadders.toFixed())
        }
        for (const { filled, amount } of Object.values(state.orders))
          expect(new Decimal(filled).lte(amount)).toBe(true)
      })
    }),
    runs(10, 200, 8),
  )
  expect(fills).toBeGreaterThan(100)
})
