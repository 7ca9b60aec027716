/** A deliberate defect: one text of one source file, replaced by another. */
export type Mutant = {
  /** m01 to m37 are the incidents of other trading bots that the reliability document lists; the others are our own. */
  id: string
  /** What the program then does. */
  does: string
  file: string
  /** Occurs in the file exactly once: a change of the source must carry the mutant along. */
  find: string
  replace: string
}

export const mutants: readonly Mutant[] = [
  {
    id: 'm01',
    does: 'takes an order without an answer for an order that was not placed',
    file: 'src/bot/submitting.ts',
    find: "return { kind: 'unknown', reason: outcome.reason }",
    replace: "return { kind: 'not-attempted' }",
  },
  {
    id: 'm02',
    does: 'takes a list that could not be read for an empty list',
    file: 'src/bot/looking.ts',
    find: "if (resting === null || ended === null || balance.kind !== 'answer') return null",
    replace:
      "if (resting === null || ended === null || balance.kind !== 'answer')\n" +
      '    return { resting: empty, ended: empty, freeze: null }',
  },
  {
    id: 'm03',
    does: 'sends orders that were queued when the operator halted',
    file: 'src/bot/carrying.ts',
    find: 'if (this.#parts.mayLeave(strategy, role)) continue',
    replace: 'continue',
  },
  {
    id: 'm06',
    does: 'takes an order for absent after one look that did not find it',
    file: 'src/bot/looking.ts',
    find: 'const agreed = ready.filter((id) => agree(before.get(id), searches.get(id)?.look))',
    replace: 'const agreed = ready',
  },
  {
    id: 'm09',
    does: 'sends orders before the journal has them on disk',
    file: 'src/bot/driver.ts',
    find: 'if (wanted.length === 0) return\n      this.#commit()',
    replace: 'if (wanted.length === 0) return',
  },
  {
    id: 'm11',
    does: 'draws the clock as the nonce',
    file: 'src/client/nonce.ts',
    find: 'let nonce = Math.max(Math.floor(this.#now()), this.#lastUsed() + 1)',
    replace: 'let nonce = Math.floor(this.#now())',
  },
  {
    id: 'm19',
    does: 'reads a bulk by its first element only',
    file: 'src/client/bulk.ts',
    find: 'const answered = elements.map(outcomeOf)',
    replace: 'const answered = elements.map(() => outcomeOf(elements[0]))',
  },
  {
    id: 'm28',
    does: 'goes on when the journal cannot be written',
    file: 'src/bot/driver.ts',
    find: '      this.#broken = true\n      this.#parts.journal.abandon(error)\n      this.#parts.onBroken(error)',
    replace: '      void error',
  },
  {
    id: 'crash-ended',
    does: 'takes orders that were in flight at a crash for ended',
    file: 'src/engine/doubt.ts',
    find: "if (order.status === 'sending') doubt(turn, order, 'the process ended while it was in flight')",
    replace: "if (order.status === 'sending') end(turn, order)",
  },
  {
    id: 'no-fence',
    does: 'looks for orders while an older request can still arrive',
    file: 'src/bot/looking.ts',
    find: "if (parts.nonce === 'window') await pause(parts, nonceWindowMs + clockErrorMs)",
    replace: '',
  },
]
