import { hash } from 'node:crypto'

/** What stands between a link and the record after it, and how many hexadecimal digits of a sha256 a link has. */
export type ChainFormat = { joint: string; digits: number }

/** The hash of a record and, through the link before it, of all earlier records. The first record may follow no link. */
export function linkOf({ joint, digits }: ChainFormat, before: string, content: string | Uint8Array): string {
  const prefix = before === '' ? '' : before + joint
  const bytes = typeof content === 'string' ? prefix + content : Buffer.concat([Buffer.from(prefix), content])
  return hash('sha256', bytes).slice(0, digits)
}

/** Number and link of the last record of a log. */
export type LogEnd = { readonly seq: number; readonly link: string }

/** Numbers and links the records of a log. A record that was changed, added or removed no longer fits the chain. */
export class HashChain implements LogEnd {
  seq: number
  link: string
  readonly #format: ChainFormat

  constructor(format: ChainFormat, { seq, link }: LogEnd = { seq: 0, link: '' }) {
    this.#format = format
    this.seq = seq
    this.link = link
  }

  /** Adds a new record and returns its link. */
  add(content: string | Uint8Array): string {
    this.seq += 1
    this.link = linkOf(this.#format, this.link, content)
    return this.link
  }

  /** Adds a stored record. Returns what is wrong with it; undefined if it is the one that was written. */
  verify(stored: { seq: unknown; link: unknown }, content: string | Uint8Array): string | undefined {
    const seq = this.seq + 1
    if (stored.seq !== seq) return `${seq} is missing`
    return this.add(content) === stored.link ? undefined : `${seq} was changed after it was written`
  }
}
