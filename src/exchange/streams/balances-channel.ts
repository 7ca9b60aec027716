import { z } from 'zod'
import { ticker } from '#src/venues/whitebit/contract/fields.ts'
import { collateralBalance, spotBalance } from '#src/exchange/ledger/account-views.ts'
import type { ExchangeAccount } from '../state.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'
import {
  invalid,
  privateMethod,
  writtenUpdate,
  topicsChannel,
  type Channel,
  type SendFrame,
  type UpdateOf,
  type TopicsChannel,
} from './channel.ts'

const tickers = z.array(ticker)

/** Changed balances: every second for the spot account, every 1.5 seconds for the collateral account. */
export function balancesChannels(venue: VenueContext, post: SendFrame): Channel[] {
  const spot = balances(venue, post, {
    name: 'balanceSpot',
    everyTicks: 10,
    answer: (account, asset) => spotBalance(venue, account, asset),
    told: (account, asset) => ({ [asset]: spotBalance(venue, account, asset) }),
  })
  const margin = balances(venue, post, {
    name: 'balanceMargin',
    everyTicks: 15,
    answer(account, asset) {
      const { balance, borrowed, free, leveraged } = collateralBalance(venue.trading, account, asset)
      return { balance, borrow: borrowed, available_without_borrow: free, available_with_borrow: leveraged }
    },
    told(account, asset) {
      const { balance, borrowed, free, leveraged } = collateralBalance(venue.trading, account, asset)
      return { a: asset, B: balance, b: borrowed, av: free, ab: leveraged }
    },
  })
  return [spot, margin]
}

type Kind = {
  name: 'balanceSpot' | 'balanceMargin'
  everyTicks: number
  /** A balance as the request returns it, and as the update reports it. */
  answer(account: ExchangeAccount, asset: string): object
  told(account: ExchangeAccount, asset: string): UpdateOf<'balanceSpot' | 'balanceMargin'>[number]
}

function balances(venue: VenueContext, post: SendFrame, kind: Kind): Channel {
  const { audience, methods, leave }: TopicsChannel = topicsChannel(
    kind.name,
    privateMethod(tickers, ({ account }, named) => {
      const assets = assetsOf(named)
      if (assets === undefined) return invalid
      const topics = assets.map((asset) => ({ topic: `${account.number} ${asset}`, asset }))
      for (const { topic, asset } of topics) {
        if (audience.of(topic) === undefined)
          last.set(topic, { account, asset, text: textOf(account, asset) })
      }
      return { topics: topics.map(({ topic }) => topic) }
    }),
  )
  /** The last values sent to the readers of each topic. */
  const last = new Map<string, { account: ExchangeAccount; asset: string; text: string }>()
  const textOf = (account: ExchangeAccount, asset: string) => JSON.stringify([kind.told(account, asset)])

  /** The named assets, or all if none is named; undefined if a name is not an asset. */
  function assetsOf(named: readonly string[]): readonly string[] | undefined {
    const all = Object.keys(venue.world.assets)
    if (named.length === 0) return all
    return named.every((asset) => all.includes(asset)) ? named : undefined
  }

  return {
    methods: {
      ...methods,
      [`${kind.name}_request`]: privateMethod(tickers, ({ account }, named) => {
        const assets = assetsOf(named)
        if (assets === undefined) return invalid
        const entries = assets.map((asset) => [asset, kind.answer(account, asset)])
        return { json: JSON.stringify(Object.fromEntries(entries)) }
      }),
    },
    leave,
    tick(count) {
      if (count % kind.everyTicks !== 0) return
      for (const topic of audience.topics()) {
        const entry = last.get(topic)
        if (entry === undefined) continue
        const text = textOf(entry.account, entry.asset)
        if (text === entry.text) continue
        entry.text = text
        post(audience.of(topic) ?? [], writtenUpdate(kind.name, text))
      }
    },
  }
}
