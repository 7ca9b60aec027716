import { createInterface } from 'node:readline/promises'

/** Asks on the terminal, beside whatever goes to stdout; everything but a clear yes is a no. */
export async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<string>((resolve) => {
    terminal.once('close', () => resolve(''))
  })
  try {
    const answer = await Promise.race([terminal.question(question), closed])
    return /^y(?:es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
