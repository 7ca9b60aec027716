import { z } from 'zod'
import { marketPattern } from '#src/venues/whitebit/contract/fields.ts'
import { count, expression, name } from './quantities.ts'

const symbol = z
  .string()
  .regex(marketPattern, { error: 'must be a market\nwrite it like BTC_PERP' })
  .meta({ examples: ['BTC_PERP'] })
export const marketName = name.meta({ examples: ['btc'] })

/** A market of the venue: its symbol, or with the side of its positions. */
export const marketSchema = z.union([
  symbol.transform((symbol) => ({ symbol, positionSide: 'long' as const })),
  z.strictObject({
    symbol: symbol.describe('Such as BTC_PERP'),
    positionSide: z.enum(['long', 'short']).default('long'),
  }),
])

/** The rules and levels of a file limit the number of markets more. */
const marketsMax = 100

const listed = z.union([
  symbol,
  z
    .record(marketName, marketSchema)
    .refine((entry) => Object.keys(entry).length === 1, {
      error: 'must be one name with one market\nwrite it like btc: BTC_PERP',
    })
    .meta({ examples: [{ btc: 'BTC_PERP' }] }),
])

/** The name of an entry in the list of a loop: the one in the file, or the currency of the market. */
export function listedName(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry.split('_')[0]?.toLowerCase()
  return typeof entry === 'object' && entry !== null ? Object.keys(entry)[0] : undefined
}

const loop = z
  .strictObject({
    markets: z
      .array(listed)
      .min(1)
      .max(marketsMax)
      .describe(
        'The markets, each with the name that its currency gives, or with a name of its own: btc: BTC_PERP',
      ),
    when: expression.optional().describe('A market can be active only while this is true'),
    rank: expression
      .optional()
      .describe('Of more markets than active, those with the highest value are active'),
    active: count(marketsMax, '2')
      .optional()
      .describe('At most this number of markets are active; one with a position is active until it is flat'),
  })
  .superRefine(({ markets }, context) => {
    const seen = new Map<string, number>()
    for (const [index, entry] of markets.entries()) {
      const own = listedName(entry) ?? ''
      const refuse = (message: string) =>
        context.addIssue({ code: 'custom', path: ['markets', index], message })
      const written = typeof entry === 'string' ? entry : own
      if (!name.safeParse(own).success)
        refuse(
          `"${own}" is no name for ${written}\nwrite a name before it, such as m${own.slice(0, 10)}: ${written}`,
        )
      const twin = seen.get(own)
      if (twin !== undefined)
        refuse(
          `has the name "${own}" of entry ${twin + 1}\nwrite a name before it, such as ${own.slice(0, 14)}_2: ${written}`,
        )
      else seen.set(own, index)
    }
  })
  .refine(({ rank, active }) => rank === undefined || active !== undefined, {
    error: 'has no effect without active\nadd active, such as active: 2',
    path: ['rank'],
  })
  .transform(({ markets, ...loop }) => ({
    ...loop,
    markets: Object.fromEntries(
      markets.map((entry) => {
        const market = typeof entry === 'string' ? marketSchema.parse(entry) : Object.values(entry)[0]!
        return [listedName(entry) ?? '', market] as const
      }),
    ),
  }))
  .meta({ examples: [{ markets: ['BTC_PERP', 'ETH_PERP'] }] })

/** Loops over markets, by the name of their variable. */
export const forEachSchema = z.record(name.meta({ examples: ['m'] }), loop)
export type Loops = z.output<typeof forEachSchema>
