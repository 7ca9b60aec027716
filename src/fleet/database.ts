import type { Pool, QueryResult } from 'pg'
import { BotError } from '#src/core/errors/bot-error.ts'

type Answer = QueryResult<Record<string, unknown>>

/** The server did not answer, or cannot do so now. The same query may work later. */
export class ServerUnreachable extends Error {
  override readonly name = 'ServerUnreachable'
}

/** Longer than any query here takes, and shorter than a lease. */
export type DatabaseLimits = { connectMs: number; queryMs: number }

/** What the connections are for. The server shows `application` to its operator. */
type DatabaseUse = { code: 'FLEET_UNAVAILABLE' | 'QUEUE_UNAVAILABLE'; application: string }

const fleetUse: DatabaseUse = { code: 'FLEET_UNAVAILABLE', application: 'rungs' }

/** Connections to a PostgreSQL server. A broken one is replaced with the next query. */
export class Database implements AsyncDisposable {
  readonly #pool: Pool
  /** The address without its password, for messages. */
  readonly name: string

  private constructor(pool: Pool, name: string) {
    this.#pool = pool
    this.name = name
    // An idle connection that breaks is reported here. The next query opens another one.
    pool.on('error', () => {})
  }

  /** Loads the client library only now: few users need it. */
  static async open(
    address: string,
    { connectMs, queryMs }: DatabaseLimits,
    { code, application }: DatabaseUse = fleetUse,
  ): Promise<Database> {
    const name = nameOf(address)
    const { default: pg } = await import('pg').catch((cause: unknown) => {
      throw new BotError(code, {
        seen: 'the package pg is not installed',
        fix: 'Run npm install pg in the folder of rungs',
        cause,
      })
    })
    const pool = new pg.Pool({
      connectionString: address,
      max: 3,
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
      statement_timeout: queryMs,
      keepAlive: true,
      application_name: application,
    })
    return new Database(pool, name)
  }

  /** Without a limit of its own, a query has that of the connection. */
  async query(
    text: string,
    values: readonly unknown[] = [],
    { withinMs }: { withinMs?: number } = {},
  ): Promise<Answer> {
    const query = { text, values: [...values], query_timeout: withinMs }
    return await this.#pool.query(query).catch((cause: unknown) => this.#fail(cause))
  }

  /** Calls `heard` with each notification of a channel, until its connection breaks or the signal is aborted. */
  async listen(channel: string, heard: (payload: string) => void, signal: AbortSignal): Promise<void> {
    const client = await this.#pool.connect().catch((cause: unknown) => this.#fail(cause))
    try {
      client.on('notification', ({ payload = '' }) => heard(payload))
      const ended = new Promise<void>((resolve) => {
        client.once('error', () => resolve())
        client.once('end', () => resolve())
        signal.addEventListener('abort', () => resolve(), { once: true })
        // It may have been aborted while the connection opened.
        if (signal.aborted) resolve()
      })
      await client.query(`LISTEN ${channel}`).catch((cause: unknown) => this.#fail(cause))
      await ended
    } finally {
      client.release(true)
    }
  }

  #fail(cause: unknown): never {
    throw isServerError(cause) ? cause : new ServerUnreachable(`${this.name} does not answer`, { cause })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end()
  }
}

/** Classes of errors that say nothing about the query: connection, resources, shutdown and start of the server. */
const passing = /^(?:08|53|57)/

/** Whether the server has refused the query itself. */
function isServerError(error: unknown): boolean {
  const code = sqlState(error)
  return code !== undefined && !passing.test(code)
}

/** The SQLSTATE of an error. */
export function sqlState(error: unknown): string | undefined {
  // Errors of our own have codes, too, and USAGE has as many letters.
  const code = error instanceof Error && 'severity' in error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

const protocols: ReadonlySet<string> = new Set(['postgres:', 'postgresql:'])

function nameOf(address: string): string {
  try {
    const { protocol, hostname, port, pathname } = new URL(address)
    if (!protocols.has(protocol)) throw new TypeError(protocol)
    return `PostgreSQL at ${hostname}${port === '' ? '' : `:${port}`}${pathname}`
  } catch {
    throw new BotError('SETTING_INVALID', {
      seen: 'the address does not begin with postgres://',
      fix: 'Write it as postgres://USER@HOST:PORT/DATABASE',
    })
  }
}
