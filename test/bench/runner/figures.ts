/** What one benchmark printed, and whether it met its goal. */
export type Figures = { name: string; output: string; isMet: boolean }

const [begin, end] = ['<!-- npm run bench writes from here -->', '<!-- to here -->']
const head = ['| benchmark | date | figures | goal |', '|---|---|---|---|']

/** The document with a row for each of these benchmarks. Rows of the others stay. */
export function withFigures(document: string, measured: readonly Figures[], date: string): string {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`The document needs the lines ${begin} and ${end}`)
  const rows = new Map(
    [...document.slice(from, to).matchAll(/^\| `([\w-]+)` \|.*$/gm)].map(([row, name = '']) => [name, row]),
  )
  for (const each of measured) if (each.output.trim() !== '') rows.set(each.name, rowOf(each, date))
  const table = [...head, ...[...rows.values()].toSorted()].join('\n')
  return `${document.slice(0, from)}${begin}\n\n${table}\n\n${document.slice(to)}`
}

function rowOf({ name, output, isMet }: Figures, date: string): string {
  const lines = output
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replaceAll(/\s+/g, ' ')
        .replaceAll('|', String.raw`\|`),
    )
    .filter((line) => line !== '')
  return `| \`${name}\` | ${date} | ${lines.join('<br>')} | ${isMet ? 'met' : 'missed'} |`
}
