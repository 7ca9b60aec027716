import { createInterface } from 'node:readline'

/** A person at a terminal who answers line by line. Undefined after the end of the input. */
export type Person = {
  ask: (question: string) => Promise<string | undefined>
  tell: (text: string) => void
} & Disposable

/** On stderr, beside the output on stdout. */
export function person(
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Person {
  const lines = createInterface({ input, output })
  // Lines typed in advance. Ctrl-C and the end of the input both mean no answer.
  const typed = lines[Symbol.asyncIterator]()
  let closed = false
  lines.once('close', () => {
    closed = true
  })
  return {
    async ask(question) {
      const [, before = '', prompt = ''] = /^(.*\n)?(.*)$/s.exec(question) ?? []
      output.write(before)
      lines.setPrompt(prompt)
      if (closed) output.write(prompt)
      else lines.prompt()
      const { value, done } = await typed.next()
      return done === true ? undefined : value
    },
    tell: (text) => void output.write(`${text}\n`),
    [Symbol.dispose]: () => lines.close(),
  }
}
