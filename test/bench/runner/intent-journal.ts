import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OrderDraft } from '#src/engine/commands.ts'
import { openJournal } from '#src/journal/sqlite/journal.ts'
import { account, CountingMachine, engine } from '#test/journal/counting-machine.ts'

type Placed = { market: string; side: 'buy'; amount: string; price: string }

/** A journal of a bot, which stores the intent of a bulk before the bulk leaves. */
export function intentJournal(orders: readonly Placed[]): { store: () => void; close: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'rungs-bench-journal-'))
  const journal = openJournal(folder, { account, engine, begin: (state) => new CountingMachine(state) })
  const { state } = journal.machine
  let chunk = 0
  const draftOf = ({ market, side, amount, price }: Placed, rung: number): OrderDraft => ({
    id: `steady.low.${rung}.${chunk}`,
    strategy: 'steady',
    ladder: 'low',
    level: String(rung),
    generation: chunk,
    role: 'entry',
    market,
    side,
    positionSide: 'LONG',
    price,
    amount,
    postOnly: true,
    ioc: false,
    rpi: false,
  })
  return {
    store() {
      chunk += 1
      state.at = Date.now()
      const { at } = state
      const about = {
        kind: 'submit',
        chunk,
        strategy: 'steady',
        stopOnFail: false,
        priority: 'entries',
      } as const
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no gate has to check what no venue gets
      const drafts = orders.map(draftOf) as never[]
      journal.append(
        { kind: 'quote', at, market: 'BTC_PERP', bid: 60_000, ask: 60_001, last: null },
        { commands: [{ ...about, orders: drafts, dueAt: at + 10_000 }], decisions: [] },
      )
      journal.commit()
    },
    close() {
      journal.close()
      rmSync(folder, { recursive: true })
    },
  }
}
