import { createHash } from 'node:crypto'
import { badMarket } from '#src/market/data/market-file-error.ts'
import type { HistoricalMarket, MarketKind, PointBlock } from '#src/market/data/historical-market.ts'
import { sharedMarket, shareMarket, type MarketColumns } from '#src/market/data/load/load-market.ts'
import { BlockReader, BlockWriter } from './columns.ts'

/** What a market is besides its points, as JSON. */
export function factsText({ name, kind, levels, barMs, beginsAt, seen }: MarketColumns<MarketKind>): string {
  return JSON.stringify({ name, kind, levels, barMs, beginsAt, seen })
}

/** The blocks in the form of a binary market file. Each one is valid until the next. */
export function* packedBlocks(columns: MarketColumns<MarketKind>): Generator<Uint8Array> {
  const writer = new BlockWriter()
  for (const block of sharedMarket(columns).blocks()) yield writer.pack(block)
}

/** Hash of the whole content. The fingerprint of a file is a hash of its ends only. */
export function contentHash(columns: MarketColumns<MarketKind>): string {
  const hash = createHash('sha256').update(factsText(columns))
  for (const bytes of packedBlocks(columns)) hash.update(bytes)
  return hash.digest('hex')
}

/** The market of `factsText` and `packedBlocks`, with its hash as the fingerprint. */
export function unpackMarket<Kind extends MarketKind>(
  hash: string,
  facts: string,
  packed: readonly Uint8Array[],
): MarketColumns<Kind> {
  const about: Omit<HistoricalMarket<Kind>, 'print' | 'blocks'> = JSON.parse(facts)
  const columns = shareMarket({ ...about, print: hash, blocks: () => unpackedBlocks(hash, packed) }, () => {})
  if (contentHash(columns) !== hash) throw damaged(hash)
  return columns
}

function* unpackedBlocks(hash: string, packed: readonly Uint8Array[]): Generator<PointBlock> {
  const reader = new BlockReader()
  for (const bytes of packed) {
    reader.bytes.set(bytes)
    const block = reader.unpack()
    if (!block) throw damaged(hash)
    yield block
  }
}

function damaged(hash: string) {
  return badMarket(`the market ${hash.slice(0, 12)} of the queue`, 'is damaged', 'Delete it from the server')
}
