import type { StoredRecord, StoredState } from '#src/journal/rebuild.ts'
import type { Bodies } from '#src/journal/record.ts'
import type { Database } from './database.ts'

/** The three parts of a record as one text. The parts are texts of JSON already, and stay as they are. */
export function bodyText({ event, commands, decisions }: Bodies): string {
  return JSON.stringify([event, commands, decisions])
}

/** Records of one engine version. */
export type RecordGroup = { engine: string; records: StoredRecord[] }

/** Reads what the server has of the journal of one account. */
export class SharedRecords {
  readonly #database: Database
  readonly #account: string

  constructor(database: Database, account: string) {
    this.#database = database
    this.#account = account
  }

  /** Some of the records after this one, in groups of one engine version. Empty if there is none. */
  async after(seq: number, most = 1000): Promise<RecordGroup[]> {
    const { rows } = await this.#database.query(
      `SELECT seq, engine, body, chain FROM rungs.records
       WHERE account = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
      [this.#account, seq, most],
    )
    const groups: RecordGroup[] = []
    for (const row of rows) {
      const engine = String(row['engine'])
      if (groups.at(-1)?.engine !== engine) groups.push({ engine, records: [] })
      groups.at(-1)?.records.push(recordOf(row))
    }
    return groups
  }

  /** The link after a record; undefined if the server has it no more. */
  async linkAfter(seq: number): Promise<string | undefined> {
    const { rows } = await this.#database.query(
      `SELECT chain FROM rungs.records WHERE account = $1 AND seq = $2
       UNION ALL SELECT chain FROM rungs.states WHERE account = $1 AND seq = $2`,
      [this.#account, seq],
    )
    const chain = rows[0]?.['chain']
    return typeof chain === 'string' ? chain : undefined
  }

  /** The last record that the server has confirmed; 0 if it knows nothing of the account. */
  async confirmed(): Promise<number> {
    const { rows } = await this.#database.query('SELECT confirmed FROM rungs.leases WHERE account = $1', [
      this.#account,
    ])
    return Number(rows[0]?.['confirmed'] ?? 0)
  }

  async newestState(): Promise<StoredState | undefined> {
    const { rows } = await this.#database.query(
      `SELECT seq, engine, chain, hash, proof, state FROM rungs.states
       WHERE account = $1 ORDER BY seq DESC LIMIT 1`,
      [this.#account],
    )
    const [row] = rows
    if (row === undefined) return undefined
    const text = (name: string) => String(row[name])
    return {
      seq: Number(row['seq']),
      engine: text('engine'),
      chain: text('chain'),
      hash: text('hash'),
      proof: text('proof'),
      state: text('state'),
    }
  }
}

function recordOf(row: Record<string, unknown>): StoredRecord {
  const [event, commands, decisions] = JSON.parse(String(row['body']))
  return { seq: Number(row['seq']), event, commands, decisions, chain: row['chain'] }
}
