import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { isType, startBot, type Line } from '#test/runtime/support/bot-process.ts'
import { differencesNow, venueFileText } from '#test/runtime/support/venue-records.ts'

const strategy = `
version: 1
name: guarded
markets:
  btc: { symbol: BTC_PERP }
ladder:
  dip:
    market: btc
    side: buy
    anchor: 60000
    levels: 1
    spacing: { kind: arithmetic, first: 0.5%, step: 0.5% }
    size: { total: 1200 quote }
    exit: { tp: { pct: 5%, mode: resting }, stop: { pct: 1%, mode: resting }, cooldown: 1h }
rules:
  - { id: go, when: 1 < 2, do: [ensure: dip] }
risk:
  max_notional: { btc: 2500 }
  max_open_orders: 9
  worst_case: { move: -30%, max_loss: 10000 }
  drawdown: { pause: 50%, halt: 90% }
`

const isOf = (type: string, rung: string) => (line: Line) => line.type === type && line['rung'] === rung

test('a stop at the venue closes the position of a killed bot, and the next process books it', async () => {
  using folder = temporaryFolder()
  await using exchange = await startExchange(['--profile', 'full'])
  const rival = createClient({
    transport: httpTransport(exchange.url),
    key: {
      credentials: { key: 'rival-key', secret: new Secret('rival-secret') },
      nonces: new Nonces({ clock: systemClock, mode: 'strict' }),
    },
  })
  const trade = async (side: 'buy' | 'sell', price: string, amount: string) => {
    const order = { market: 'BTC_PERP', side, price, amount }
    const { orders } = await rival.collateralBulk({ orders: [order] })
    expect(orders).toMatchObject([{ kind: 'accepted' }])
  }
  try {
    await trade('sell', '60010', '0.05')
    await trade('buy', '59500', '0.01')
    await trade('buy', '59000', '0.05')
    const [file, venueFile, stateDir] = ['guarded.yaml', 'venue.yaml', 'state'].map((name) =>
      folder.file(name),
    )
    if (!file || !venueFile || !stateDir) throw new RangeError('there is no folder')
    writeFileSync(file, strategy)
    writeFileSync(venueFile, venueFileText(exchange.url))
    const words = [file, '--venue', venueFile, '--state-dir', stateDir]
    {
      await using bot = startBot(words)
      const { price, order } = await bot.said(isOf('order-accepted', '1'))
      expect([price, order]).toEqual(['59700', expect.stringMatching(/^guarded\.dip\.1\./)])
      await trade('sell', '59700', '0.02')
      await bot.said(isOf('order-accepted', 'st'))
      await bot.said(isOf('order-accepted', 't1'))
      bot.kill('SIGKILL')
      expect(await bot.ended).toMatchObject({ signal: 'SIGKILL' })
    }
    // The price falls to the stop at 59103.
    await trade('sell', '59000', '0.02')
    await using bot = startBot(words)
    const fill = await bot.said(isOf('fill', 'st'))
    expect(fill).toMatchObject({ price: '59000', amount: '0.02', side: 'sell' })
    await bot.said(isType('episode-closed'))
    bot.kill('SIGTERM')
    expect(await bot.ended, bot.stderr()).toMatchObject({ code: 0 })
    // The venue has cancelled the take profit with the position: no order is left that could open another one.
    expect(bot.lines.filter(isOf('order-ended', 't1')).map((line) => line['filled'])).toEqual(['0'])
    expect(await differencesNow(exchange.url, stateDir)).toEqual([])
  } finally {
    await rival.close()
  }
}, 60_000)
