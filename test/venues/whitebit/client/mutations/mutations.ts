import { isRecord } from '#src/core/objects/objects.ts'
import { respell, type Names } from '#src/venues/whitebit/contract/wire/spelling.ts'

/** A place in an answer: names of fields and numbers of elements. */
export type Path = readonly (string | number)[]
/** An answer that differs from the original at one place. */
export type AnswerChange = { kind: string; path: Path; value: unknown }

type Change = (value: unknown) => readonly unknown[]
const dropped = Symbol('dropped')

/** What a venue may do to one field or element. */
const changes: Record<string, Change> = {
  dropped: () => [dropped],
  null: () => [null],
  negative: (value) =>
    typeof value === 'number' && value > 0
      ? [-value]
      : typeof value === 'string' && /^\d/.test(value) && Number(value) > 0
        ? [`-${value}`]
        : [],
  'another type': (value) => [
    ...(typeof value === 'string' ? [{ text: value }, true] : []),
    ...(typeof value === 'number' ? ['a text', [value]] : []),
    ...(typeof value === 'boolean' ? ['yes', 1] : []),
    ...(Array.isArray(value) ? [{}, 'a text'] : []),
    ...(isRecord(value) ? [[], 'a text'] : []),
  ],
  'a number for a text': (value) =>
    typeof value === 'string' && /^-?\d{1,15}(?:\.\d+)?$/.test(value) && String(Number(value)) === value
      ? [Number(value)]
      : [],
  'a text for a number': (value) => (typeof value === 'number' ? [String(value)] : []),
  wrapped: (value) => [[value], { result: value }],
  'one field more': (value) =>
    isRecord(value) ? [{ unexpected: { of: ['another', 'version'] }, ...value }] : [],
  reordered: (value) => (isRecord(value) ? [Object.fromEntries(Object.entries(value).reverse())] : []),
}

/** All mutations of an answer; of a list, only those of its first and its last element. */
export function mutationsOf(answer: unknown, camel: Names = {}): AnswerChange[] {
  const found: AnswerChange[] = []
  const add = (kind: string, path: Path, values: readonly unknown[]) => {
    for (const value of values) found.push({ kind, path, value: changed(answer, path, value) })
  }
  for (const path of placesOf(answer)) {
    const value = at(answer, path)
    for (const [kind, change] of Object.entries(changes)) {
      if (path.length === 0 && kind === 'dropped') continue
      add(kind, path, change(value))
    }
  }
  const spelled = respell(answer, camel)
  if (JSON.stringify(spelled) !== JSON.stringify(answer)) add('in the other spelling', [], [spelled])
  return found
}

export function placesOf(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) {
    const ends = [...new Set([0, value.length - 1])].filter((index) => index in value)
    return [path, ...ends.flatMap((index) => placesOf(value[index], [...path, index]))]
  }
  if (!isRecord(value)) return [path]
  return [path, ...Object.keys(value).flatMap((name) => placesOf(value[name], [...path, name]))]
}

export function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((around, step) => Reflect.get(Object(around), step), value)
}

function changed(value: unknown, [step, ...rest]: Path, fresh: unknown): unknown {
  if (step === undefined) return fresh
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => (index === step ? changed(item, rest, fresh) : item))
    return items.filter((item) => item !== dropped)
  }
  const entries = Object.entries(Object(value)).map(([name, item]): [string, unknown] => [
    name,
    name === step ? changed(item, rest, fresh) : item,
  ])
  return Object.fromEntries(entries.filter(([, item]) => item !== dropped))
}
