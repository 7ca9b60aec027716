import type { Database } from '#src/fleet/database.ts'
import { factsText, packedBlocks, unpackMarket } from '#src/market/data/binary/packed-market.ts'
import type { MarketKind } from '#src/market/data/historical-market.ts'
import type { MarketColumns } from '#src/market/data/load/load-market.ts'

/** Stores a market, if the server does not have it. */
export async function shareMarketData(
  database: Database,
  hash: string,
  columns: MarketColumns<MarketKind>,
): Promise<void> {
  if ((await factsOf(database, hash)) !== undefined) return
  let number = 0
  for (const bytes of packedBlocks(columns)) {
    await database.query(
      'INSERT INTO rungs_sweep.blocks (market, number, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [hash, number++, bytes],
    )
  }
  // Last: a process that finds this row finds all blocks.
  await database.query(
    'INSERT INTO rungs_sweep.markets (hash, facts) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [hash, factsText(columns)],
  )
}

/** The hash says of which kind it is. */
export async function sharedMarketData<Kind extends MarketKind>(
  database: Database,
  hash: string,
): Promise<MarketColumns<Kind>> {
  const facts = await factsOf(database, hash)
  if (facts === undefined) throw new Error(`the server has no market ${hash}`)
  const packed: Buffer[] = []
  for (;;) {
    const { rows } = await database.query(
      'SELECT bytes FROM rungs_sweep.blocks WHERE market = $1 AND number = $2',
      [hash, packed.length],
    )
    const bytes = rows[0]?.['bytes']
    if (!Buffer.isBuffer(bytes)) return unpackMarket(hash, facts, packed)
    packed.push(bytes)
  }
}

async function factsOf(database: Database, hash: string): Promise<string | undefined> {
  const { rows } = await database.query('SELECT facts FROM rungs_sweep.markets WHERE hash = $1', [hash])
  const facts = rows[0]?.['facts']
  return typeof facts === 'string' ? facts : undefined
}
