/** A deliberate defect: one text of one source file, replaced by another. */
export type Mutant = {
  /** m01 to m37 are incidents of other trading bots, see docs/simulation.md; the others are our own. */
  id: string
  /** What the program then does. */
  does: string
  file: string
  /** Occurs in the file exactly once: a change of the source must carry the mutant along. */
  find: string
  replace: string
  /** The test files that must fail, or the simulation. */
  suite: 'simulate' | readonly string[]
}

export const mutants: readonly Mutant[] = [
  {
    id: 'm01',
    does: 'takes an order without an answer for an order that was not placed',
    file: 'src/bot/submitting.ts',
    find: "return { kind: 'unknown', reason: outcome.reason }",
    replace: "return { kind: 'not-attempted' }",
    suite: 'simulate',
  },
  {
    id: 'm02',
    does: 'takes a list that could not be read for an empty list',
    file: 'src/bot/looking.ts',
    find: "|| balance.kind !== 'answer') return null",
    replace: "|| balance.kind !== 'answer') return { resting: empty, ended: empty, freeze: null }",
    suite: ['test/bot/looking.test.ts'],
  },
  {
    id: 'm03',
    does: 'sends orders that were queued when the operator halted',
    file: 'src/bot/carrying.ts',
    find: 'if (this.#parts.mayLeave(strategy, role)) continue',
    replace: 'continue',
    suite: ['test/bot/carrying.test.ts'],
  },
  {
    id: 'm06',
    does: 'takes an order for absent after one look that did not find it',
    file: 'src/bot/looking.ts',
    find: 'const agreed = ready.filter((id) => agree(before.get(id), searches.get(id)?.look))',
    replace: 'const agreed = ready',
    suite: ['test/bot/looking.test.ts'],
  },
  {
    id: 'm07',
    does: 'sends a request that changes something again when its answer is lost',
    file: 'src/client/courier.ts',
    find: 'return this.#attempt(row, wire, this.#options.transport, dueAt, options)',
    replace:
      'const send = () => this.#attempt(row, wire, this.#options.transport, dueAt, options)\n' +
      "    return send().then((first) => (first.kind === 'unclear' ? send() : first))",
    suite: ['test/client/sending-again.test.ts', 'test/client/client.test.ts'],
  },
  {
    id: 'm09',
    does: 'sends orders before the journal has them on disk',
    file: 'src/bot/driver.ts',
    find: 'if (wanted.length === 0) return\n      this.#commit()',
    replace: 'if (wanted.length === 0) return',
    suite: 'simulate',
  },
  {
    id: 'm11',
    does: 'draws the clock as the nonce',
    file: 'src/client/nonce.ts',
    find: 'let nonce = Math.max(Math.floor(this.#now()), this.#lastUsed() + 1)',
    replace: 'let nonce = Math.floor(this.#now())',
    suite: 'simulate',
  },
  {
    id: 'm12',
    does: 'has two requests of one key in flight',
    file: 'src/client/courier.ts',
    find: '      concurrency,\n',
    replace: '      concurrency: 2,\n',
    suite: ['test/client/client.test.ts', 'test/client/lane.test.ts'],
  },
  {
    id: 'm13',
    does: 'lets two processes use one state folder',
    file: 'src/journal/lock.ts',
    find: "lock.exec('BEGIN EXCLUSIVE')",
    replace: "lock.exec('BEGIN')",
    suite: ['test/journal/processes.test.ts'],
  },
  {
    id: 'm14',
    does: 'lets the nonce follow a clock that is far ahead',
    file: 'src/client/nonce.ts',
    find: 'return isWrong ? there : now',
    replace: 'return isWrong ? now : now',
    suite: ['test/client/nonce.test.ts'],
  },
  {
    id: 'm15',
    does: 'does not raise the nonce after the venue refused one',
    file: 'src/client/nonce.ts',
    find: "if (this.mode === 'window') return\n",
    replace: 'if (this.mode !== undefined) return\n',
    suite: ['test/client/nonce.test.ts', 'test/client/nonce-shared.test.ts'],
  },
  {
    id: 'm18',
    does: 'counts the rate in fixed windows',
    file: 'src/contract/rolling-window.ts',
    find: 'return Math.max(0, (this.#times[this.#oldest] ?? 0) + perMs - at)',
    replace: 'return Math.max(0, Math.floor((this.#times[this.#oldest] ?? 0) / perMs + 1) * perMs - at)',
    suite: ['test/properties/rolling-window.test.ts'],
  },
  {
    id: 'm19',
    does: 'reads a bulk by its first element only',
    file: 'src/client/bulk.ts',
    find: 'const answered = elements.map(outcomeOf)',
    replace: 'const answered = elements.map(() => outcomeOf(elements[0]))',
    suite: 'simulate',
  },
  {
    id: 'm21',
    does: 'does not read the account again after the stream was connected again',
    file: 'src/bot/feeds.ts',
    find: "if (event.kind === 'connected' || event.kind === 'gap' || ownChannels.has(event.kind)) onHint()",
    replace: 'if (ownChannels.has(event.kind)) onHint()',
    suite: ['test/bot/feeds.test.ts'],
  },
  {
    id: 'm22',
    does: 'trades on a price of any age',
    file: 'src/engine/prices.ts',
    find: 'return quote && state.at - quote.at <= (booksOf(strategy).get(symbol) ?? quoteStaleMs) ? quote : undefined',
    replace: 'return quote',
    suite: ['test/engine'],
  },
  {
    id: 'm24',
    does: 'writes numbers with an exponent',
    file: 'src/money/decimal.ts',
    find: 'const text = value.toFixed()\n  if (!isDecimalText(text)) throw',
    replace: 'const text = value.toString()\n  if (text === "") throw',
    suite: ['test/money', 'test/ladder', 'test/properties/ladder.test.ts'],
  },
  {
    id: 'm27',
    does: 'replaces a file without syncing its content',
    file: 'src/disk/whole-file.ts',
    find: 'disk.sync(file)',
    replace: '',
    suite: ['test/disk/whole-file.test.ts'],
  },
  {
    id: 'm28',
    does: 'goes on when the journal cannot be written',
    file: 'src/bot/driver.ts',
    find: '      this.#broken = true\n      this.#parts.journal.abandon(error)\n      this.#parts.onBroken(error)',
    replace: '      void error',
    suite: 'simulate',
  },
  {
    id: 'm32',
    does: 'never forgets an ended order',
    file: 'src/engine/pruning.ts',
    find: 'if (at - state.prunedAt < everyMs) return',
    replace: 'if (at >= state.prunedAt) return',
    suite: ['test/engine/pruning.test.ts'],
  },
  {
    id: 'm33',
    does: 'writes secrets into the log',
    file: 'src/logs/files.ts',
    find: 'return this.#parts.secrets.reduce((rest, secret) => secret.hiddenIn(rest), text)',
    replace: 'return text',
    suite: ['test/logs/secrets.test.ts', 'test/logs/log.test.ts'],
  },
  {
    id: 'm34',
    does: 'lets a YAML file have values with types',
    file: 'src/settings/yaml-text.ts',
    find: "schema: 'failsafe',",
    replace: "schema: 'core',",
    suite: ['test/settings/yaml.test.ts'],
  },
  {
    id: 'm35',
    does: 'answers requests under any host name',
    file: 'src/exchange/listener.ts',
    find: 'if (!/^(?:127\\.0\\.0\\.1|localhost|\\[::1\\])(?::\\d{1,5})?$/i.test(host)) {',
    replace: 'if (host === undefined) {',
    suite: ['test/exchange/server.test.ts', 'test/exchange/streams/door.test.ts'],
  },
  {
    id: 'm37',
    does: 'takes an HTML page with status 200 for an empty list',
    file: 'src/client/answer.ts',
    find: 'return unclear(`The answer with status ${status} is not JSON`)',
    replace:
      "return success ? { kind: 'answer', value: [] as never } : unclear(`The answer with status ${status} is not JSON`)",
    suite: ['test/client/answer.test.ts'],
  },
  {
    id: 'crash-ended',
    does: 'takes orders that were in flight at a crash for ended',
    file: 'src/engine/doubt.ts',
    find: "if (order.status === 'sending') doubt(turn, order, 'the process ended while it was in flight')",
    replace: "if (order.status === 'sending') end(turn, order)",
    suite: 'simulate',
  },
  {
    id: 'window-fence',
    does: 'looks for orders while an older request can still arrive',
    file: 'src/bot/looking.ts',
    find: "if (parts.nonce === 'window') await pause(parts, nonceWindowMs + clockErrorMs)",
    replace: '',
    suite: ['test/bot/looking.test.ts'],
  },
  {
    id: 'window-wait',
    does: 'waits for ever for a nonce after a clock that was ahead',
    file: 'src/client/nonce.ts',
    find: 'this.#last = Math.floor(this.#now()) + windowAheadMsMax\n',
    replace: 'return Math.floor(this.#now()) + windowAheadMsMax\n',
    suite: ['test/client/nonce.test.ts'],
  },
]
