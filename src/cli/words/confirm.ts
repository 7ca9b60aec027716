import { createInterface } from 'node:readline/promises'
import { BotError } from '#src/core/errors/bot-error.ts'

type Terminal = { input: NodeJS.ReadableStream; output: NodeJS.WritableStream }

/** Asks on the terminal, beside the output on stdout; every answer but a clear yes is a no, also silence. */
export async function ask(
  question: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  const lines = createInterface({ input, output })
  const closed = new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''))
  })
  try {
    const answer = await Promise.race([lines.question(question), closed])
    return /^y(?:es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}

/** Goes on after a clear yes at the terminal. A script has none: it passes --yes and does not come here. */
export async function confirm(about: { seen: string; question: string; details?: string }): Promise<void> {
  if (process.stdin.isTTY && process.stderr.isTTY) {
    if (about.details !== undefined) process.stderr.write(`${about.details}\n`)
    if (await ask(`${about.question} [y/N] `)) return
  }
  throw new BotError('NOT_CONFIRMED', { seen: about.seen })
}
