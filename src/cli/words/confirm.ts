import { createInterface } from 'node:readline/promises'

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
