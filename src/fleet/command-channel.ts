import type { Clock } from '#src/core/time/clock.ts'
import { parseCommand, type CommandAnswer, type FleetCommand } from './commands.ts'
import { ServerUnreachable, type Database } from './database.ts'
import type { MemberReport, StandbyReport } from './member-report.ts'

type Parts = {
  database: Database
  account: string
  /** The name of this process, as in its lease. */
  process: string
  clock: Clock
  /** Whether the venue answers this process. */
  reachesVenue: () => Promise<boolean>
  onBroken: (error: unknown) => void
}

type Serving = {
  report: () => MemberReport
  execute: (command: FleetCommand) => Promise<CommandAnswer>
  /** The venue answers this standby and not this process: the standby should trade. */
  handOver: (standby: string) => Promise<void>
}

const everyMs = 500
const probeMs = 1000
/** After so long without an answer of the venue, a standby that gets answers is better. */
const unansweredMsMost = 2000

/** Twice a second, a process reports itself to the fleet, and receives the commands for its account. */
export class CommandChannel implements AsyncDisposable {
  readonly #parts: Parts
  readonly #ending = new AbortController()
  readonly #running: Promise<unknown>
  #epoch: number | null = null
  #reachesVenue = false
  /** The last answer of the venue. */
  #answeredAt = -Infinity
  #isBroken = false
  #serving: Serving | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#running = Promise.all([
      this.#repeat(everyMs, () => this.#try(() => this.#exchange())),
      this.#repeat(probeMs, () => this.#probe()),
    ])
  }

  /** This process has the lease, and does not trade yet. */
  took(epoch: number): void {
    this.#epoch = epoch
  }

  /** From here on, this process reports its bot, and executes commands. */
  serve(serving: Serving): void {
    // The bot has just read the account, so the venue answers.
    this.#answeredAt = this.#parts.clock.monotonic()
    this.#serving = serving
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await this.#running
    // The last report of a process that traded stays: its positions do.
    if (this.#epoch !== null) return
    const { database, account, process } = this.#parts
    await this.#try(() =>
      database.query('DELETE FROM rungs.reports WHERE account = $1 AND process = $2', [account, process]),
    )
  }

  async #repeat(pauseMs: number, act: () => Promise<void>): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      await act()
      await this.#parts.clock.sleep(pauseMs, signal).catch(() => {})
    }
  }

  async #probe(): Promise<void> {
    this.#reachesVenue = await this.#parts.reachesVenue()
    if (this.#reachesVenue) this.#answeredAt = this.#parts.clock.monotonic()
  }

  async #exchange(): Promise<void> {
    const { database, account, process } = this.#parts
    const serving = this.#serving
    const isHolder = this.#epoch !== null
    const report = isHolder
      ? (serving?.report() ?? null)
      : ({ reachesVenue: this.#reachesVenue } satisfies StandbyReport)
    const values = [account, process, this.#epoch, report === null ? null : JSON.stringify(report)]
    const { rows } = await database.query(exchangeText, values)
    for (const { id, command } of rows) {
      if (serving === undefined) continue
      const parsed = parseCommand(String(command))
      const answer =
        parsed === undefined
          ? { refused: 'this version of rungs does not know the command' }
          : await serving.execute(parsed)
      const answered = [account, process, JSON.stringify(serving.report()), id, JSON.stringify(answer)]
      await database.query(answerText, answered)
    }
    const unansweredMs = this.#parts.clock.monotonic() - this.#answeredAt
    if (serving && unansweredMs > unansweredMsMost) await this.#offer(serving)
  }

  async #offer({ handOver }: Serving): Promise<void> {
    const { database, account } = this.#parts
    const { rows } = await database.query(standbyText, [account])
    const [found] = rows
    if (found !== undefined) await handOver(String(found['process']))
  }

  /** A report is worth nothing later, and an unanswered command is shown as such. The first error of several is enough. */
  async #try(act: () => Promise<unknown>): Promise<void> {
    try {
      await act()
      this.#isBroken = false
    } catch (error) {
      if (error instanceof ServerUnreachable) return
      if (!this.#isBroken) this.#parts.onBroken(error)
      this.#isBroken = true
    }
  }
}

/** Only the process that has the lease receives commands, and only while its bot can execute them. */
const exchangeText = `
  WITH reported AS (
    INSERT INTO rungs.reports (account, process, epoch, report, reported)
    VALUES ($1, $2, $3, $4, clock_timestamp())
    ON CONFLICT (account, process) DO UPDATE SET
      epoch = excluded.epoch, report = excluded.report, reported = excluded.reported
  ), earlier AS (
    DELETE FROM rungs.reports WHERE account = $1 AND epoch < $3
  ), received AS (
    UPDATE rungs.commands SET epoch = $3
    WHERE account = $1 AND answer IS NULL AND epoch IS DISTINCT FROM $3 AND until > clock_timestamp()
      AND $4::text IS NOT NULL
      AND EXISTS (SELECT FROM rungs.leases WHERE account = $1 AND epoch = $3 AND expires > clock_timestamp())
    RETURNING id, command
  )
  SELECT id, command FROM received ORDER BY id`

/** Who reads the answer also reads what the command has changed. */
const answerText = `
  WITH reported AS (
    UPDATE rungs.reports SET report = $3, reported = clock_timestamp() WHERE account = $1 AND process = $2
  )
  UPDATE rungs.commands SET answer = $5 WHERE id = $4`

const standbyText = `
  SELECT process FROM rungs.reports
  WHERE account = $1 AND epoch IS NULL AND report::json ->> 'reachesVenue' = 'true'
    AND reported > clock_timestamp() - interval '3 seconds'
  ORDER BY reported DESC LIMIT 1`
