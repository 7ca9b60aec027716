import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import { noAnswer } from '#src/cli/check/venue-rules.ts'
import { publicVenue } from '#src/cli/files/public-venue.ts'
import { clientOf } from '#src/cli/files/venue-access.ts'
import { printed } from '#src/cli/words/printed.ts'
import { columns } from '#src/cli/words/text.ts'
import { usage } from '#src/cli/words/usage.ts'
import { name, percentText, somePercent } from '#src/strategy/schema/quantities.ts'
import { listedName } from '#src/strategy/schema/market-schema.ts'
import type { Client } from '#src/venues/whitebit/client/client.ts'

export type MarketsFlags = {
  venue: string
  quote?: string
  type?: 'spot' | 'futures'
  minVolume?: string
  maxSpread?: string
  top?: number
  json?: boolean
}

type ListedMarket = { market: string; volume: Decimal; spread: Decimal | undefined }

const deadlineMs = 20_000

/** `rungs markets`: the markets of a venue with enough volume and a narrow spread, as a list for `for_each`. */
export async function markets(flags: MarketsFlags): Promise<number> {
  const least = volumeOf(flags.minVolume)
  const widest = spreadOf(flags.maxSpread)
  const { url, ...venue } = publicVenue(flags.venue)
  const client = clientOf({ url, ...venue }, { readsAnywhere: true })
  try {
    const [rules, prices] = await Promise.all([
      client.markets({}, { deadlineMs }),
      client.ticker({}, { deadlineMs }),
    ])
    if (rules.kind !== 'answer') throw noAnswer(url, rules)
    if (prices.kind !== 'answer') throw noAnswer(url, prices)
    const traded = rules.value.filter(
      ({ tradesEnabled, money, type }) =>
        tradesEnabled &&
        (flags.quote === undefined || money === flags.quote) &&
        (flags.type === undefined || (type === 'spot') === (flags.type === 'spot')),
    )
    const liquid = traded
      .map(({ name: market }): ListedMarket => {
        const volume = new Decimal(prices.value[market]?.quote_volume ?? 0)
        return { market, volume, spread: undefined }
      })
      .filter(({ volume }) => volume.gte(least))
      .toSorted((a, b) => b.volume.comparedTo(a.volume) || (a.market < b.market ? -1 : 1))
    const found: ListedMarket[] = []
    for (const each of liquid) {
      if (found.length === flags.top) break
      const spread = widest && (await spreadIn(client, url, each.market))
      if (widest === undefined || spread?.lte(widest) === true) found.push({ ...each, spread })
    }
    return printed(flags.json === true ? jsonOf(found) : textOf(found))
  } finally {
    await client.close()
  }
}

/** Best ask / best bid - 1; undefined if a side of the book is empty. */
async function spreadIn(client: Client, url: string, market: string): Promise<Decimal | undefined> {
  const book = await client.orderbook({ market, limit: 1 }, { deadlineMs })
  if (book.kind !== 'answer') throw noAnswer(url, book)
  const [[ask] = [], [bid] = []] = [book.value.asks[0], book.value.bids[0]]
  return ask === undefined || bid === undefined ? undefined : new Decimal(ask).div(bid).minus(1)
}

/** The entry of each market: with a name of its own where its currency gives none, or the name of another market. */
function entriesOf(found: readonly ListedMarket[]): string[] {
  const taken = new Set<string>()
  return found.map(({ market }) => {
    const usual = listedName(market) ?? ''
    const names = [usual, market.toLowerCase(), `m_${market.toLowerCase()}`.slice(0, 16)]
    const numbered = Array.from({ length: found.length }, (_, index) => `m${index + 1}`)
    const own =
      [...names, ...numbered].find((each) => name.safeParse(each).success && !taken.has(each)) ?? usual
    taken.add(own)
    return own === usual ? market : `${own}: ${market}`
  })
}

function textOf(found: readonly ListedMarket[]): string {
  if (found.length === 0) return 'No market fits.\n'
  const rows = found.map(({ market, volume, spread }) => [
    market,
    volume.toFixed(0),
    spread === undefined ? '' : percentText(spread),
  ])
  const table = columns([
    ['market', 'volume of 24 h', found[0]?.spread === undefined ? '' : 'spread'],
    ...rows,
  ])
  return `${table.join('\n')}\n\nmarkets: [${entriesOf(found).join(', ')}]\n`
}

function jsonOf(found: readonly ListedMarket[]): string {
  const entries = entriesOf(found)
  const markets = found.map(({ market, volume, spread }, index) => ({
    market,
    entry: entries[index],
    volume: decimalText(volume),
    ...(spread && { spread: percentText(spread) }),
  }))
  return `${JSON.stringify({ markets })}\n`
}

function volumeOf(text = '0'): Decimal {
  if (/^\d{1,15}(?:\.\d{1,10})?$/.test(text)) return new Decimal(text)
  throw usage(`"${text.slice(0, 20)}" is not a volume`, 'Write a plain number, such as --min-volume 1000000')
}

function spreadOf(text: string | undefined): Decimal | undefined {
  if (text === undefined) return undefined
  const { data } = somePercent.safeParse(text)
  if (data) return data
  throw usage(`"${text.slice(0, 20)}" is not a percentage`, 'Write a percentage, such as --max-spread 0.1%')
}
