import type { ChainFormat, HashChain } from '#src/core/log/hash-chain.ts'

/** A link is the hash of all bytes since the link of the line before. */
export const tapeChain: ChainFormat = { joint: '"}\n', digits: 16 }
const before = Buffer.from(',"chain":"')
const after = Buffer.from('"}')

/** The line of a tape for an object with at least one property: its last property is the link. */
export function chainedLine(chain: HashChain, value: unknown): string {
  const open = JSON.stringify(value).slice(0, -1)
  return `${open}${before.toString()}${chain.add(open)}${after.toString()}\n`
}

/** The object of a line without its link and its brace; undefined if the link does not fit the chain. */
export function unchained(chain: HashChain, line: Buffer): Buffer | undefined {
  const linkEnd = line.length - after.length
  const linkAt = linkEnd - tapeChain.digits
  const open = linkAt - before.length
  if (open < 0 || !line.subarray(open, linkAt).equals(before) || !line.subarray(linkEnd).equals(after))
    return undefined
  const object = line.subarray(0, open)
  return chain.add(object) === line.toString('latin1', linkAt, linkEnd) ? object : undefined
}
