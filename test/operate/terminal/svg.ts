import { cellsOf } from '#src/operate/terminal/line.ts'

/** Neighbouring cells with the same style. */
export type TextRun = { column: number; text: string; color: number | undefined; bold: boolean; dim: boolean }

const [cellWidth, rowHeight, edge] = [8.4, 18, 14]
/** Terminal colours that are readable on the background. */
const colors: Readonly<Record<number, string>> = {
  1: '#ff7b72',
  2: '#56d364',
  3: '#e3b341',
  6: '#76e3ea',
}
const [ground, ink] = ['#0d1117', '#e6edf3']

/** Draws a terminal with its own background, for pages of any colour. */
export function svgOf(rows: readonly (readonly TextRun[])[], columns: number, title: string): string {
  const width = Math.ceil(columns * cellWidth + 2 * edge)
  const height = rows.length * rowHeight + 2 * edge
  const lines = rows.flatMap((runs, row) => {
    const y = edge + row * rowHeight + 13
    return runs.flatMap(pieces).map(({ column, text, color, bold, dim }) => {
      const x = (edge + column * cellWidth).toFixed(1)
      const length = (cellsOf(text) * cellWidth).toFixed(1)
      const fill = color === undefined ? '' : ` fill="${colors[color] ?? ink}"`
      const weight = `${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity=".6"' : ''}`
      return `<text x="${x}" y="${y}" textLength="${length}"${fill}${weight}>${escaped(text)}</text>`
    })
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<rect width="${width}" height="${height}" rx="10" fill="${ground}"/>`,
    `<g font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="${ink}">`,
    ...lines,
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

/** Browsers collapse spaces, so each word has its own position. */
function pieces(run: TextRun): TextRun[] {
  const { color, bold, dim } = run
  return [...run.text.matchAll(/\S+(?: \S+)*/g)].map(({ index, 0: text }) => {
    return { column: run.column + index, text, color, bold, dim }
  })
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
