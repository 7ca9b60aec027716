/**
 * Writes the reference part of docs/library.md from the comments of the types and functions that the package exports:
 * node config/tools/library.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

type Declared = { name: string; kind: string; comment: string; fields: Field[] }
type Field = { name: string; comment: string }

const root = new URL('../../', import.meta.url)
const page = new URL('docs/library.md', root)
const [begin, end] = ['<!-- node config/tools/library.ts writes from here -->', '<!-- to here -->']

/** By the word behind `rungs` in an import. */
const entries = [
  { from: 'rungs', file: 'src/index.ts' },
  { from: 'rungs/exchange', file: 'src/library/exchange.ts' },
  { from: 'rungs/backtest', file: 'src/library/backtest.ts' },
]

/** The page with its reference part made anew. */
export function libraryPage(text = readFileSync(page, 'utf8')): string {
  const [before, rest = ''] = text.split(begin)
  const [, after = ''] = rest.split(end)
  const parts = entries.map(({ from, file }) => [`### \`${from}\``, '', ...sectionOf(file)].join('\n'))
  return `${before}${begin}\n\n${parts.join('\n\n')}\n\n${end}${after}`
}

function sectionOf(file: string): string[] {
  const declared = exportsOf(file)
  const rows = declared.map(({ name, kind, comment }) => `| \`${name}\` | ${kind} | ${comment} |`)
  const tables = declared
    .filter(({ fields }) => fields.length > 0)
    .flatMap(({ name, fields }) => [
      `\nFields of \`${name}\`:\n\n| field | meaning |\n|---|---|`,
      fields.map((field) => `| \`${field.name}\` | ${field.comment} |`).join('\n'),
    ])
  return ['| name | kind | meaning |', '|---|---|---|', ...rows, ...tables]
}

/** Everything that an entry exports: its own declarations, and those that it passes on. */
function exportsOf(file: string): Declared[] {
  const text = sourceOf(file)
  const passed = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '#([^']+)'/gm)].flatMap(
    ([, names = '', path = '']) =>
      names
        .split(',')
        .map((name) => name.replace(/\btype\b/, '').trim())
        .filter((name) => name !== '')
        .map((name) => declarationOf(path, name)),
  )
  const own = [...text.matchAll(/^export (?:async )?(?:function|type|class|const) (\w+)/gm)].map(
    ([, name = '']) => declarationOf(file, name),
  )
  return [...own, ...passed]
}

function declarationOf(file: string, name: string): Declared {
  const text = sourceOf(file)
  const found = new RegExp(
    String.raw`(?:/\*\*((?:(?!\*/)[^])*)\*/\n)?^export (?:async )?(function|type|class|const) ${name}\b(.*)`,
    'm',
  ).exec(text)
  if (found === null) throw new Error(`${file} does not export ${name}`)
  const [whole, comment = '', kind = '', rest = ''] = found
  const body = rest.trimEnd().endsWith('{') && kind === 'type' ? text.slice(found.index + whole.length) : ''
  return { name, kind, comment: sentence(comment), fields: fieldsOf(body.split('\n}')[0] ?? '') }
}

/** The fields of an object type that have a comment. */
function fieldsOf(body: string): Field[] {
  return [...body.matchAll(/^ {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2}(?:readonly )?(\w+)(\??)/gm)].map(
    ([, comment = '', name = '', mark = '']) => ({ name: `${name}${mark}`, comment: sentence(comment) }),
  )
}

function sentence(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trim())
    .join(' ')
    .replaceAll('|', String.raw`\|`)
    .trim()
}

function sourceOf(file: string): string {
  return readFileSync(new URL(file, root), 'utf8')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, libraryPage())
