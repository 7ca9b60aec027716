import type { RosterRow } from '#src/fleet/roster.ts'
import { timeText } from '#src/cli/words/text.ts'
import { fleetTables } from './fleet-tables.ts'

/** The page of `rungs fleet dashboard`, with its first tables. */
export function pageText(token: string, tables: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Rungs fleet</title>
<link rel="stylesheet" href="/${token}/page.css">
<script src="/${token}/page.js" defer></script>
</head>
<body>
<h1>Rungs fleet</h1>
<p id="state" role="status"></p>
<main>${tables}</main>
</body>
</html>
`
}

/** The tables of all bots, as HTML. */
export function tablesText(rows: readonly RosterRow[], at: number): string {
  if (rows.length === 0) return '<p>No bot has joined this fleet yet.</p>'
  const tables = fleetTables(rows).map(
    ({ header, rows: lines }) =>
      `<table><thead><tr>${cells('th', header.map(titled))}</tr></thead><tbody>${lines
        .map((line) => `<tr>${cells('td', line)}</tr>`)
        .join('')}</tbody></table>`,
  )
  return `${tables.join('')}<p>Read at ${timeText(at)}</p>`
}

function cells(tag: string, texts: readonly string[]): string {
  return texts.map((text) => `<${tag}>${escaped(text)}</${tag}>`).join('')
}

function titled(name: string): string {
  return name.slice(0, 1) + name.slice(1).toLowerCase()
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (letter) => entities[letter] ?? '')
}

/** Replaces the tables every two seconds, and says if they are old. */
export const pageScript = `const state = document.getElementById('state')
const main = document.querySelector('main')
setInterval(async () => {
  try {
    const answer = await fetch(location.pathname + '/tables', { signal: AbortSignal.timeout(5000) })
    if (!answer.ok) throw new Error('the server of the fleet does not answer')
    main.innerHTML = await answer.text()
    state.textContent = ''
  } catch (error) {
    state.textContent = 'The tables are old: ' + error.message
  }
}, 2000)
`

export const pageStyle = `:root {
  color-scheme: light dark;
  font: 13px/1.4 ui-sans-serif, system-ui, sans-serif;
  font-variant-numeric: tabular-nums;
}
body { margin: 16px; }
h1 { font-size: 16px; }
#state { color: #c4553b; font-weight: 600; }
main { display: grid; gap: 16px; overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
th { font-weight: 600; }
`
