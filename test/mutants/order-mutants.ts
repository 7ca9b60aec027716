import type { Mutant } from './mutant.ts'

/** Of orders, nonces, rates and bulks. */
export const orderMutants: readonly Mutant[] = [
  {
    id: 'm01',
    does: 'takes an order without an answer for an order that was not placed',
    file: 'src/venues/whitebit/adapter/submit-orders.ts',
    find: "return { kind: 'unknown', reason: outcome.reason }",
    replace: "return { kind: 'not-attempted' }",
    suite: 'simulate',
  },
  {
    id: 'm02',
    does: 'takes a list that could not be read for an empty list',
    file: 'src/runtime/execute/resolve-unknown.ts',
    find: "|| balances.kind !== 'read') return null",
    replace: "|| balances.kind !== 'read') return { resting: empty, ended: empty, freeze: null }",
    suite: ['test/runtime/execute/resolve-unknown.test.ts'],
  },
  {
    id: 'm03',
    does: 'sends orders that were queued when the operator halted',
    file: 'src/runtime/execute/command-executor.ts',
    find: 'if (this.#parts.mayLeave(strategy, role)) continue',
    replace: 'continue',
    suite: ['test/runtime/execute/command-executor.test.ts'],
  },
  {
    id: 'm04',
    does: 'looks for a lost order for ever, and halts nothing',
    file: 'src/engine/orders/unknown-orders.ts',
    find: 'if (!reached(state, (order.doubtfulSince ?? state.at) + after * state.venue.speed)) return',
    replace: 'return',
    suite: ['test/engine/orders/unknown-orders.test.ts'],
  },
  {
    id: 'm05',
    does: 'sends an order again that a list has shown since',
    file: 'src/engine/orders/order-progress.ts',
    find: "const isProof = order.status !== 'resting'",
    replace: "const isProof = order.status === 'sending'",
    suite: ['test/engine/orders/unknown-orders.test.ts'],
  },
  {
    id: 'm06',
    does: 'takes an order for absent after one look that did not find it',
    file: 'src/runtime/execute/resolve-unknown.ts',
    find: 'const agreed = ready.filter((id) => agree(before.get(id), searches.get(id)?.look))',
    replace: 'const agreed = ready',
    suite: ['test/runtime/execute/resolve-unknown.test.ts'],
  },
  {
    id: 'm07',
    does: 'sends a request that changes something again when its answer is lost',
    file: 'src/venues/whitebit/client/calls/dispatcher.ts',
    find: 'return this.#attempt(row, wire, this.#options.transport, dueAt, options)',
    replace:
      'const send = () => this.#attempt(row, wire, this.#options.transport, dueAt, options)\n' +
      "    return send().then((first) => (first.kind === 'unclear' ? send() : first))",
    suite: [
      'test/venues/whitebit/client/calls/resubmission.test.ts',
      'test/venues/whitebit/client/client.test.ts',
    ],
  },
  {
    id: 'm08',
    does: 'places an order for a level again that has filled',
    file: 'src/engine/orders/order-progress.ts',
    find: 'if (!ladder.filled.includes(order.level)) ladder.filled.push(order.level)',
    replace: '',
    suite: ['test/engine/strategies.test.ts'],
  },
  {
    id: 'm09',
    does: 'sends orders before the journal has them on disk',
    file: 'src/runtime/loop/driver.ts',
    find: 'if (wanted.length > 0) this.#commit(wanted)',
    replace: 'this.#carry(wanted, 0)',
    suite: 'simulate',
  },
  {
    id: 'm10',
    does: 'holds its limits against what is held, without the open orders',
    file: 'src/engine/risk/kept-exposure.ts',
    find: 'if (isOpen) this.#add(order)\n',
    replace: '',
    suite: ['test/engine/risk/risk-gate.test.ts'],
  },
  {
    id: 'm11',
    does: 'draws the clock as the nonce',
    file: 'src/venues/whitebit/client/calls/nonces.ts',
    find: 'let nonce = Math.max(now, this.#lastUsed() + 1)',
    replace: 'let nonce = now',
    suite: 'simulate',
  },
  {
    id: 'm12',
    does: 'has two requests of one key in flight',
    file: 'src/venues/whitebit/client/calls/dispatcher.ts',
    find: '      concurrency,\n',
    replace: '      concurrency: Math.max(2, concurrency),\n',
    suite: ['test/venues/whitebit/client/calls/resubmission.test.ts'],
  },
  {
    id: 'm13',
    does: 'lets two processes use one state folder',
    file: 'src/journal/sqlite/folder-lock.ts',
    find: "lock.exec('BEGIN EXCLUSIVE')",
    replace: "lock.exec('BEGIN')",
    suite: ['test/journal/processes.test.ts'],
  },
  {
    id: 'm14',
    does: 'lets the nonce follow a clock that is far ahead',
    file: 'src/venues/whitebit/client/calls/nonces.ts',
    find: 'return isWrong ? there : now',
    replace: 'return isWrong ? now : now',
    suite: ['test/venues/whitebit/client/calls/nonces.test.ts'],
  },
  {
    id: 'm15',
    does: 'does not raise the nonce after the venue refused one',
    file: 'src/venues/whitebit/client/calls/nonces.ts',
    find: "if (this.mode === 'window') return\n",
    replace: 'if (this.mode !== undefined) return\n',
    suite: [
      'test/venues/whitebit/client/calls/nonces.test.ts',
      'test/venues/whitebit/client/calls/nonce-shared.test.ts',
    ],
  },
  {
    id: 'm16',
    does: 'measures deadlines and rates by the wall clock',
    file: 'src/venues/whitebit/client/calls/dispatcher.ts',
    find: 'this.#clock = options.clock ?? systemClock\n',
    replace:
      'const clock = options.clock ?? systemClock\n' +
      '    this.#clock = {\n' +
      '      now: () => clock.now(),\n' +
      '      monotonic: () => clock.now(),\n' +
      '      sleep: (ms, signal) => clock.sleep(ms, signal),\n' +
      '    }\n',
    suite: ['test/venues/whitebit/client/calls/call-queue.test.ts'],
  },
  {
    id: 'm17',
    does: 'sends an order again and again that breaks a rule of the market',
    file: 'src/engine/orders/refusals.ts',
    find: "breaksRule: refusal === 'breaks-rule'",
    replace: 'breaksRule: false',
    suite: ['test/engine/orders/refusals.test.ts'],
  },
  {
    id: 'm18',
    does: 'counts the rate in fixed windows',
    file: 'src/venues/whitebit/contract/rolling-window.ts',
    find: 'Math.max(0, (this.#times[first] ?? 0) + perMs - at)',
    replace: 'Math.max(0, Math.floor((this.#times[first] ?? 0) / perMs + 1) * perMs - at)',
    suite: ['test/properties/rolling-window.test.ts'],
  },
  {
    id: 'm19',
    does: 'reads a bulk by its first element only',
    file: 'src/venues/whitebit/client/answers/bulk-answer.ts',
    find: 'const answered = elements.map(outcomeOf)',
    replace: 'const answered = elements.map(() => outcomeOf(elements[0]))',
    suite: 'simulate',
  },
  {
    id: 'm20',
    does: 'sends a bulk without orders',
    file: 'src/engine/orders/order-plan.ts',
    find: 'if (approved.length > 0)\n    send(',
    replace: 'send(',
    suite: ['test/engine/orders/resubmission.test.ts'],
  },
]
