import type { LogEnd } from '#src/core/log/hash-chain.ts'
import { storedState, type StoredRecord, type StoredState } from '#src/journal/rebuild.ts'
import type { Bodies } from '#src/journal/record.ts'
import { sqlState, type Database } from './database.ts'
import {
  failureMinutes,
  type HeldByOther,
  type LeaseTerms,
  type RecordGroup,
  type SharedAccount,
  type Taken,
} from './shared-account.ts'

/** Records of one answer. */
const recordsMost = 1000

/** One account in the tables of a PostgreSQL server. */
export class PostgresAccount implements SharedAccount {
  readonly account: string
  readonly #database: Database

  constructor(database: Database, account: string) {
    this.#database = database
    this.account = account
  }

  get server(): string {
    return this.#database.name
  }

  async holder(): Promise<HeldByOther | undefined> {
    const { rows } = await this.#database.query(holderText, [this.account])
    const [row] = rows
    if (row === undefined) return undefined
    return {
      holder: String(row['holder']),
      remainingMs: Math.max(0, Number(row['remaining'])),
      failures: Number(row['failures']),
    }
  }

  async take({ holder, termMs }: LeaseTerms): Promise<Taken | undefined> {
    const { rows } = await this.#database.query(takeText, [this.account, holder, termMs])
    const [row] = rows
    if (row === undefined) return undefined
    const { trace: text } = row
    return {
      epoch: Number(row['epoch']),
      confirmed: { seq: Number(row['confirmed']), link: String(row['link']) },
      trace: typeof text === 'string' ? { text, agoMs: Number(row['trace_ago']) } : undefined,
    }
  }

  async renew(
    epoch: number,
    { termMs, withinMs }: { termMs: number; withinMs: number },
    trace: string | undefined,
  ): Promise<boolean> {
    const values = [this.account, epoch, termMs, trace ?? null]
    const { rowCount } = await this.#database.query(renewText, values, { withinMs })
    return rowCount !== 0
  }

  async release(
    epoch: number,
    { trace, hasFailed }: { trace: string | undefined; hasFailed: boolean },
  ): Promise<void> {
    await this.#database.query(releaseText, [this.account, epoch, trace ?? null, hasFailed])
  }

  async forgetFailures(epoch: number): Promise<void> {
    await this.#database.query(forgetText, [this.account, epoch])
  }

  async confirm(epoch: number, { seq, link }: LogEnd, { engine, records }: RecordGroup): Promise<boolean> {
    const last: LogEnd = { seq: seq + records.length, link: String(records.at(-1)?.chain) }
    const own = [this.account, epoch]
    const bodies = records.map(bodyText)
    const chains = records.map(({ chain }) => chain)
    const values = [...own, seq, last.seq, engine, bodies, chains, link, last.link]
    try {
      const { rows } = await this.#database.query(confirmText, values)
      if (rows.length > 0) return true
    } catch (error) {
      // There are other records with these numbers.
      if (sqlState(error) === duplicateKey) return false
      throw error
    }
    // The answer to an earlier attempt was lost: the server has these records already.
    const { rows } = await this.#database.query(confirmedText, own)
    return rows[0]?.['link'] === last.link
  }

  async beginAt(epoch: number, state: StoredState): Promise<void> {
    await this.#database.query(beginText, this.#valuesOf(epoch, state))
  }

  async keepState(epoch: number, state: StoredState): Promise<void> {
    await this.#database.query(stateText, this.#valuesOf(epoch, state))
  }

  #valuesOf(epoch: number, { seq, engine, chain, hash, proof, state }: StoredState): unknown[] {
    return [this.account, epoch, seq, engine, chain, hash, proof, state]
  }

  async after(seq: number): Promise<RecordGroup[]> {
    const { rows } = await this.#database.query(
      `SELECT seq, engine, body, chain FROM rungs.records
       WHERE account = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
      [this.account, seq, recordsMost],
    )
    const groups: RecordGroup[] = []
    for (const row of rows) {
      const engine = String(row['engine'])
      if (groups.at(-1)?.engine !== engine) groups.push({ engine, records: [] })
      groups.at(-1)?.records.push(recordOf(row))
    }
    return groups
  }

  async linkAfter(seq: number): Promise<string | undefined> {
    const { rows } = await this.#database.query(
      `SELECT chain FROM rungs.records WHERE account = $1 AND seq = $2
       UNION ALL SELECT chain FROM rungs.states WHERE account = $1 AND seq = $2`,
      [this.account, seq],
    )
    const chain = rows[0]?.['chain']
    return typeof chain === 'string' ? chain : undefined
  }

  async confirmed(): Promise<number> {
    const { rows } = await this.#database.query('SELECT confirmed FROM rungs.leases WHERE account = $1', [
      this.account,
    ])
    return Number(rows[0]?.['confirmed'] ?? 0)
  }

  async newestState(): Promise<StoredState | undefined> {
    const { rows } = await this.#database.query(
      `SELECT seq, engine, chain, hash, proof, state FROM rungs.states
       WHERE account = $1 ORDER BY seq DESC LIMIT 1`,
      [this.account],
    )
    return rows[0] && storedState(rows[0])
  }

  listen(heard: () => void, signal: AbortSignal): Promise<void> {
    const hear = (about: string) => {
      if (about === this.account) heard()
    }
    return this.#database.listen('rungs', hear, signal)
  }
}

/** The three parts of a record as one text. The parts are texts of JSON already, and stay as they are. */
function bodyText({ event, commands, decisions }: Bodies): string {
  return JSON.stringify([event, commands, decisions])
}

function recordOf(row: Record<string, unknown>): StoredRecord {
  const [event, commands, decisions] = JSON.parse(String(row['body']))
  return { seq: Number(row['seq']), event, commands, decisions, chain: row['chain'] }
}

/** The starts that are not too long ago. A process that ends normally forgets them. */
function recentStarts(column: string): string {
  const since = `clock_timestamp() - interval '${failureMinutes} minutes'`
  return `ARRAY(SELECT start FROM unnest(${column}) AS start WHERE start > ${since})`
}

const term = (place: string) => `clock_timestamp() + ${place} * interval '1 millisecond'`

const holderText = `
  SELECT holder, extract(epoch FROM expires - clock_timestamp()) * 1000 AS remaining,
    cardinality(${recentStarts('starts')}) AS failures
  FROM rungs.leases WHERE account = $1`

/** The epoch counts seconds where it can: a server that was restored from a backup repeats none. */
const takeText = `
  INSERT INTO rungs.leases AS old (account, epoch, holder, expires, confirmed, link, starts)
  VALUES ($1, floor(extract(epoch FROM clock_timestamp())), $2, ${term('$3::double precision')}, 0, '',
    ARRAY[clock_timestamp()])
  ON CONFLICT (account) DO UPDATE SET
    epoch = greatest(old.epoch + 1, excluded.epoch), holder = excluded.holder, expires = excluded.expires,
    starts = ${recentStarts('old.starts')} || clock_timestamp()
  WHERE old.expires < clock_timestamp()
  RETURNING epoch, confirmed, link, trace, extract(epoch FROM clock_timestamp() - traced) * 1000 AS trace_ago`

const renewText = `
  UPDATE rungs.leases SET
    expires = ${term('$3::double precision')},
    trace = coalesce($4, trace), traced = CASE WHEN $4 IS NULL THEN traced ELSE clock_timestamp() END
  WHERE account = $1 AND epoch = $2 AND expires > clock_timestamp()`

const releaseText = `
  WITH freed AS (
    UPDATE rungs.leases SET
      expires = clock_timestamp(), starts = CASE WHEN $4 THEN starts ELSE '{}' END,
      trace = coalesce($3, trace), traced = CASE WHEN $3 IS NULL THEN traced ELSE clock_timestamp() END
    WHERE account = $1 AND epoch = $2
    RETURNING account
  ) SELECT pg_notify('rungs', account) FROM freed`

const forgetText = "UPDATE rungs.leases SET starts = '{}' WHERE account = $1 AND epoch = $2"

const duplicateKey = '23505'

/** The update locks the row of the lease until the records are durable: no other process can take it in between. */
const confirmText = `
  WITH held AS (
    UPDATE rungs.leases SET confirmed = $4, link = $9
    WHERE account = $1 AND epoch = $2 AND confirmed = $3 AND link = $8 AND expires > clock_timestamp()
    RETURNING 1
  ), added AS (
    INSERT INTO rungs.records (account, seq, epoch, engine, body, chain)
    SELECT $1, $3::bigint + place, $2, $5, body, chain
    FROM held, unnest($6::text[], $7::text[]) WITH ORDINALITY AS record(body, chain, place)
    RETURNING 1
  )
  SELECT pg_notify('rungs', $1) FROM (SELECT count(*) AS n FROM added) AS counted WHERE n > 0`

const confirmedText = `SELECT link FROM rungs.leases WHERE account = $1 AND epoch = $2`

/** One statement: records that begin after a state that is missing could not be read. */
const beginText = `
  WITH held AS (
    UPDATE rungs.leases SET confirmed = $3, link = $5
    WHERE account = $1 AND epoch = $2 AND confirmed = 0 AND expires > clock_timestamp()
    RETURNING 1
  )
  INSERT INTO rungs.states SELECT $1, $3, $4, $5, $6, $7, $8 FROM held ON CONFLICT DO NOTHING`

const stateText = `
  WITH held AS (
    SELECT 1 FROM rungs.leases WHERE account = $1 AND epoch = $2 AND expires > clock_timestamp()
  ), kept AS (
    INSERT INTO rungs.states SELECT $1, $3, $4, $5, $6, $7, $8 FROM held
    ON CONFLICT DO NOTHING RETURNING 1
  ), before AS (
    SELECT seq FROM rungs.states, held WHERE account = $1 AND seq < $3 ORDER BY seq DESC LIMIT 1
  ), older AS (
    DELETE FROM rungs.states USING before WHERE account = $1 AND states.seq < before.seq
  )
  DELETE FROM rungs.records USING before WHERE account = $1 AND records.seq <= before.seq`
