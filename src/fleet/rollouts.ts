import { createHash } from 'node:crypto'
import type { Database } from './database.ts'

/** The beginning of the hash of a strategy's text. */
export function textHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** The text that a rollout has put in the place of others, so that each process of the account runs it. */
export type Rollout = { text: string; replaces: readonly string[] }

/** From now on, `text` replaces the one before, and those which that one had replaced. */
export async function keepRollout(
  database: Database,
  { account, strategy, before, text }: { account: string; strategy: string; before: string; text: string },
): Promise<void> {
  await database.query(
    `INSERT INTO rungs.rollouts AS old VALUES ($1, $2, $3, ARRAY[$4])
     ON CONFLICT (account, strategy) DO UPDATE SET
       text = $3, replaces = ARRAY(SELECT DISTINCT unnest(old.replaces || $4))`,
    [account, strategy, text, textHash(before)],
  )
}

/** The rollouts of an account, by strategy. */
export async function rolloutsOf(database: Database, account: string): Promise<Map<string, Rollout>> {
  const { rows } = await database.query(
    'SELECT strategy, text, replaces FROM rungs.rollouts WHERE account = $1',
    [account],
  )
  return new Map(
    rows.map((row) => {
      const replaces = Array.isArray(row['replaces']) ? row['replaces'].map(String) : []
      return [String(row['strategy']), { text: String(row['text']), replaces }]
    }),
  )
}

/** The text that a process runs: that of a rollout, unless the file has changed since. */
export function rolledOut(text: string, rollout: Rollout | undefined): string {
  return rollout?.replaces.includes(textHash(text)) === true ? rollout.text : text
}
