import { createHash } from 'node:crypto'
import { sharedMarket, type MarketColumns } from '#src/market/data/load/load-market.ts'
import { BlockWriter } from './columns.ts'

/** What a market is besides its points, as JSON. */
function factsText({ name, kind, barMs, beginsAt, seen }: MarketColumns): string {
  return JSON.stringify({ name, kind, barMs, beginsAt, seen })
}

/** The blocks in the form of a binary market file. Each one is valid until the next. */
function* packedBlocks(columns: MarketColumns): Generator<Uint8Array> {
  const writer = new BlockWriter()
  for (const block of sharedMarket(columns).blocks()) yield writer.pack(block)
}

/** Hash of the whole content. The fingerprint of a file is a hash of its ends only. */
export function contentHash(columns: MarketColumns): string {
  const hash = createHash('sha256').update(factsText(columns))
  for (const bytes of packedBlocks(columns)) hash.update(bytes)
  return hash.digest('hex')
}
