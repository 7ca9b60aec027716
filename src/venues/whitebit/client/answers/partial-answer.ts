import { z } from 'zod'
import type { Endpoint, ReadOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { orNone } from '#src/venues/whitebit/contract/trading/orders.ts'

/** An element of an answer that the client could not read. */
export type Unread = {
  /** Where it stands, and the field of it that does not fit. */
  path: Path
  /** The whole element, in the names of the specification. */
  value: unknown
}
type Path = readonly (string | number)[]

/** For people, such as `open positions: the bot cannot read [0].amount: "1e-3"`. */
export function unreadText(what: string, { path, value }: Unread): string {
  const place = path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join('')
  const seen = JSON.stringify(fieldAt(value, path)) ?? 'nothing'
  return `${what}: the bot cannot read ${place}: ${seen.slice(0, shownMax)}`
}

const shownMax = 80

/** What the last step of the path names, or the whole element where that is the element itself. */
function fieldAt(element: unknown, path: Path): unknown {
  const name = path.at(-1)
  return isRecord(element) && typeof name === 'string' && Object.hasOwn(element, name)
    ? element[name]
    : element
}

/** An answer without the elements that could not be read, or nothing where no part of it has the shape of the call. */
export function readInParts<Row extends Endpoint>(
  row: Row,
  value: unknown,
): { value: ReadOf<Row>; unread: Unread[] } | undefined {
  if (row.reads === undefined) return undefined
  const reading = new PartialReading(row.reads)
  const read = reading.read(row.response, value, [])
  // Another answer, such as a refusal.
  if (read === unfit || (reading.unread.length > 0 && !reading.isOfThisCall)) return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the row has judged each field that is there
  return { value: read as ReadOf<Row>, unread: reading.unread }
}

const unfit = Symbol('is invalid')

class PartialReading {
  readonly unread: Unread[] = []
  /** Whether any element has a field that the bot needs. */
  isOfThisCall = false
  readonly #needed: ReadonlySet<string>

  constructor(needed: readonly string[]) {
    this.#needed = new Set(needed)
  }

  /** Lists, and records of lists or elements: what does not fit in them is left out and noted. */
  read(schema: z.core.$ZodType, value: unknown, path: Path): unknown {
    if (schema instanceof z.ZodCodec && schema.def.transform === orNone)
      return Array.isArray(value) && value.length === 0 ? {} : this.read(schema.def.out, value, path)
    if (schema instanceof z.ZodArray) {
      if (!Array.isArray(value)) return this.#unfit(path, value)
      const elements: unknown[] = value.map((each, index) =>
        this.read(schema.element, each, [...path, index]),
      )
      return elements.filter((each) => each !== unfit)
    }
    if (schema instanceof z.ZodRecord) {
      if (!isRecord(value)) return this.#unfit(path, value)
      const { keyType, valueType } = schema.def
      const entries = Object.entries(value).map(([name, each]) => {
        const at = [...path, name]
        const isName = z.safeParse(keyType, name).success
        return [name, isName ? this.read(valueType, each, at) : this.#unfit(at, each)] as const
      })
      const read = entries.filter(([, each]) => each !== unfit)
      return Object.fromEntries(read)
    }
    const mistake = { path }
    const read = this.#element(schema, value, mistake)
    return read === unfit ? this.#unfit(mistake.path, value) : read
  }

  #unfit(path: Path, value: unknown): typeof unfit {
    this.unread.push({ path, value })
    return unfit
  }

  /** Says in `mistake` which field of it did not fit. */
  #element(schema: z.core.$ZodType, value: unknown, mistake: { path: Path }): unknown {
    if (schema instanceof z.ZodNullable && value !== null)
      return this.#element(schema.def.innerType, value, mistake)
    if (!(schema instanceof z.ZodObject)) {
      const parsed = z.safeParse(schema, value)
      return parsed.success ? parsed.data : unfit
    }
    if (!isRecord(value)) return unfit
    const read: [string, unknown][] = []
    const mistakes: Path[] = []
    for (const [name, field] of Object.entries(schema.shape)) {
      const inside = { path: [...mistake.path, name] }
      const found = this.#element(field, value[name], inside)
      const isNeeded = this.#needed.has(name)
      if (found !== unfit && Object.hasOwn(value, name)) {
        read.push([name, found])
        this.isOfThisCall ||= isNeeded
      }
      if (found === unfit && isNeeded) mistakes.push(inside.path)
    }
    const [first] = mistakes
    if (first !== undefined) {
      mistake.path = first
      return unfit
    }
    return Object.fromEntries(read)
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
