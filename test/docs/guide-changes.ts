import type { Document } from './documents.ts'

/** A change of one file, as a block of a guide shows it. A row is what a developer adds first. */
export type GuideChange = { path: string; isRow: boolean; hunks: { before: string; after: string }[] }

/** Blocks named `diff` below a comment `row: PATH` or `then: PATH`, in the sequence of the guide. */
export function changesOf({ blocks }: Document): GuideChange[] {
  return blocks.flatMap(({ language, mark, text }) => {
    const [, kind, path] = /^(row|then): (\S+)$/.exec(mark) ?? []
    if (language !== 'diff' || path === undefined) return []
    return [{ path, isRow: kind === 'row', hunks: text.split('@@\n').map(hunkOf) }]
  })
}

function hunkOf(text: string): { before: string; after: string } {
  const lines = text.replace(/\n$/, '').split('\n')
  const without = (sign: string) =>
    lines
      .filter((line) => !line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  return { before: without('+'), after: without('-') }
}

/** The text after the change, empty before it for a new file; throws where a hunk does not fit in exactly one place. */
export function changed(text: string, { path, hunks }: GuideChange): string {
  return hunks.reduce((result, { before, after }) => {
    if (result === '' && before === '') return after
    const places = result.split(before).length - 1
    if (places !== 1) throw new Error(`${path} has ${places} places for this change:\n${before}`)
    return result.replace(before, () => after)
  }, text)
}

/** The table of files of a guide: which of them the compiler names once the row is there. */
export function filesOf({ text }: Document): { path: string; named: string }[] {
  const [, section = ''] = text.split('\n## Files\n')
  const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| `(src\/[\w/.-]+)` \| .* \| (.*) \|$/gm)
  return [...rows].map(([, path = '', named = '']) => ({ path, named }))
}
