import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { readStream } from '#test/support/stream-reader.ts'
import { paperWorld, signedCall } from '#test/exchange/exchange-fixture.ts'

test('with a store frames arrive too, in the order in which they were made', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'rungs-streams-'))
  const clock = new ManualClock(1_790_000_000_000)
  const venue = await startExchange({ world: paperWorld, clock, profile: 'full', dataDirectory })
  const reader = await readStream(venue.wsUrl)
  await reader.ask('trades_subscribe', 'SOL_PERP')
  let nonce = 0
  async function place(account: 'paper' | 'rival', side: 'buy' | 'sell', amount: string): Promise<void> {
    const { path } = contract.collateralBulk
    const orders = [{ market: 'SOL_PERP', side, price: '60', amount }]
    const { headers, body } = signedCall(account, { path }, { orders }, String(++nonce))
    const known = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    )
    await fetch(venue.url + path, { method: 'POST', headers: Object.fromEntries(known), body })
  }
  await place('paper', 'buy', '100')
  const sales = Array.from({ length: 50 }, (_, index) => place('rival', 'sell', String(1 + index / 10)))
  await Promise.all(sales)
  const reported = (await reader.rest('trades')).flatMap((params) => {
    const [, trades] = Array.from<unknown>(Object(params))
    return Array.from<{ id: number }>(Object(trades))
      .map(({ id }) => id)
      .reverse()
  })
  expect(reported).toEqual(Array.from({ length: reported.length }, (_, index) => index + 1))
  expect(reported.length).toBe(venue.exchange.state.trades)
  await reader.close()
  await venue.close()
  rmSync(dataDirectory, { recursive: true })
})
