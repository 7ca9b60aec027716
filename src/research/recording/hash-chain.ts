import { hash } from 'node:crypto'

/** So many hexadecimal digits of a sha256: nobody hits them by chance. */
export const linkDigits = 16
const before = Buffer.from(',"chain":"')
const after = Buffer.from('"}')

/**
 * Each line ends with the hash of all bytes from the one in the line before it up to itself. So a line that was changed,
 * put in or taken out no longer fits what follows, and the first line that does not fit is where it happened.
 */
export class Chain {
  #last = ''

  /** The line as it stands in the file, of an object with at least one property. */
  line(value: unknown): string {
    const open = JSON.stringify(value).slice(0, -1)
    const link = linkOf(this.#last === '' ? open : `${this.#last}"}\n${open}`)
    this.#last = link
    return `${open}${before.toString()}${link}${after.toString()}\n`
  }
}

/** Where the object of a line ends, before its chain and its brace; undefined if the chain does not fit. */
export function unchained(bytes: Buffer, start: number, end: number): number | undefined {
  const linkAt = end - after.length - linkDigits
  const open = linkAt - before.length
  if (open < start) return undefined
  if (before.compare(bytes, open, linkAt) !== 0 || after.compare(bytes, end - after.length, end) !== 0) {
    return undefined
  }
  const from = start === 0 ? 0 : start - 1 - after.length - linkDigits
  return bytes.toString('latin1', linkAt, linkAt + linkDigits) === linkOf(bytes.subarray(from, open))
    ? open
    : undefined
}

function linkOf(bytes: string | Buffer): string {
  return hash('sha256', bytes, 'hex').slice(0, linkDigits)
}
