import type { marketRows } from '#src/contract/market-table.ts'
import { seconds } from '../moments.ts'
import type { PublicHandler } from '../venue.ts'

export const marketHandlers: { [Name in keyof typeof marketRows]: PublicHandler<Name> } = {
  time: ({ now }) => ({ time: seconds(now) }),
}
