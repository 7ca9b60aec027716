import { z } from 'zod'
import { tapeChain } from './tape-chain.ts'
import { tapeEvent, tapeLine } from './tape.ts'

/** JSON Schema of a tape's lines, for other programs. */
export function tapeJsonSchema(): object {
  const chain = z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${tapeChain.digits}}$`))
    .describe(
      'Start of the sha256 of all bytes from the chain of the line before up to the comma before this field',
    )
  const [begin, , end] = tapeLine.options
  const lines = [begin, ...tapeEvent.options, end].map((line) => line.extend({ chain }))
  return { title: 'A line of a tape of Rungs', ...z.toJSONSchema(z.union(lines)) }
}
