import { z } from 'zod'
import type { Clock } from '#src/core/time/clock.ts'
import type { Database } from './database.ts'

const schema = z.discriminatedUnion('kind', [
  /** Commands of an operator, as the control address of a bot accepts them. */
  z.object({
    kind: z.literal('operate'),
    acts: z.array(z.tuple([z.string(), z.record(z.string(), z.unknown())])),
  }),
  /** Another text for a strategy that runs. */
  z.object({ kind: z.literal('replace'), strategy: z.string(), text: z.string() }),
])

/** A command for the process that trades for an account. A process may receive it twice, if another one took over meanwhile. */
export type FleetCommand = z.output<typeof schema>

/** Undefined for a command of another version that this program does not know. */
export function parseCommand(text: string): FleetCommand | undefined {
  return schema.safeParse(JSON.parse(text)).data
}

const answerSchema = z.object({
  /** Why the command was not executed. */
  refused: z.string().nullable(),
  /** With `replace`: the previous text. */
  before: z.string().optional(),
})

export type CommandAnswer = z.output<typeof answerSchema>

/** What became of a command. `unanswered`: a process has received it, and may have executed it. */
export type CommandOutcome =
  | { account: string; kind: 'answered'; answer: CommandAnswer }
  | { account: string; kind: 'unanswered' }
  | { account: string; kind: 'undelivered' }

const pollMs = 50
/** A process that received the command at the last moment has this time for its answer. */
const answerMs = 1000

/** Sends a command to accounts, and waits for the answers. After that time, no process executes it any more. */
export async function sendCommand(
  { database, clock }: { database: Database; clock: Clock },
  accounts: readonly string[],
  command: FleetCommand,
  withinMs: number,
  onOutcome: (outcome: CommandOutcome) => void = () => {},
): Promise<CommandOutcome[]> {
  const { rows: sent } = await database.query(
    `WITH earlier AS (DELETE FROM rungs.commands WHERE until < clock_timestamp() - interval '1 day')
     INSERT INTO rungs.commands (account, command, until)
     SELECT account, $2, clock_timestamp() + $3 * interval '1 millisecond' FROM unnest($1::text[]) AS account
     RETURNING id`,
    [accounts, JSON.stringify(command), withinMs],
  )
  const open = new Set(sent.map(({ id }) => String(id)))
  const outcomes: CommandOutcome[] = []
  const end = clock.monotonic() + withinMs + answerMs
  for (;;) {
    const isLast = clock.monotonic() >= end
    for (const row of await rowsOf(database, [...open])) {
      const outcome = outcomeOf(row)
      if (outcome.kind !== 'answered' && !isLast) continue
      open.delete(String(row['id']))
      outcomes.push(outcome)
      onOutcome(outcome)
    }
    if (open.size === 0) return outcomes
    await clock.sleep(pollMs)
  }
}

async function rowsOf(database: Database, ids: readonly string[]): Promise<Record<string, unknown>[]> {
  const { rows } = await database.query(
    'SELECT id, account, epoch, answer FROM rungs.commands WHERE id = ANY($1::bigint[]) ORDER BY account',
    [ids],
  )
  return rows
}

function outcomeOf(row: Record<string, unknown>): CommandOutcome {
  const account = String(row['account'])
  const { answer, epoch } = row
  if (typeof answer === 'string')
    return { account, kind: 'answered', answer: answerSchema.parse(JSON.parse(answer)) }
  return epoch === null ? { account, kind: 'undelivered' } : { account, kind: 'unanswered' }
}
