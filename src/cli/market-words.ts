import { BotError } from '#src/errors/bot-error.ts'

/** By symbol, as the word before the path says, or the file itself; under no symbol where neither does. */
export function marketsOf<Market extends { name: string | undefined }>(
  words: readonly string[],
  open: (path: string) => Market,
): Map<string, Market> {
  const markets = new Map<string, Market>()
  for (const word of words) {
    const [, said, path = word] = /^([A-Z0-9]+_[A-Z0-9]+)=(.+)$/.exec(word) ?? []
    const market = open(path)
    const symbol = said ?? market.name ?? ''
    if (markets.has(symbol)) {
      throw new BotError('USAGE', {
        seen: `${path} is the second market file for ${symbol === '' ? 'the same market' : symbol}`,
        fix: 'Say of which market each is: --market BTC_PERP=FILE',
      })
    }
    markets.set(symbol, market)
  }
  return markets
}
