import { expect, test } from 'vitest'
import { userDocuments } from './documents.ts'

/** What strangers to the project search for. */
const searched = [
  'cancel',
  'timeout',
  'retry',
  'drawdown',
  'slippage',
  'maker only',
  'rate limit',
  'stop loss',
  'emergency',
  'backup',
  'upgrade',
  'API key',
  'paper trading',
  'Docker',
]

const index = userDocuments.find(({ path }) => path === 'docs/README.md')
const [, table = ''] = index?.prose.split('\n## Where to find\n') ?? []
const rows = [...table.matchAll(/^\| (.*?) \| (.*) \|$/gm)].map(([, words = '', links = '']) => ({
  words,
  links: [...links.matchAll(/\]\(([\w/-]+\.md)#([\w-]+)\)/g)].map(([, file = '', anchor = '']) => ({
    file,
    anchor,
  })),
}))

/** The paragraphs below a heading, to the next heading of its depth. */
function sectionOf(file: string, anchor: string): string {
  const document = userDocuments.find(({ path }) => path === `docs/${file}`)
  const heading = document?.headings.find((each) => each.anchor === anchor)
  const next = document?.headings.find(
    ({ line, depth }) => line > (heading?.line ?? 0) && depth <= (heading?.depth ?? 0),
  )
  return (
    document?.text
      .split('\n')
      .slice(heading?.line ?? 0, next && next.line - 1)
      .join('\n') ?? ''
  )
}

test.each(searched)('a search for "%s" finds the paragraph that answers it', (word) => {
  const links = rows
    .filter(({ words }) => words.toLowerCase().includes(word.toLowerCase()))
    .flatMap((row) => row.links)
  const named = new RegExp(word, 'i')
  const found = links.filter(({ file, anchor }) =>
    named.test(anchor.replaceAll('-', ' ') + sectionOf(file, anchor)),
  )
  expect(found).not.toEqual([])
})

test('every row of the index names a heading', () => {
  expect(rows.length).toBeGreaterThan(30)
  expect(rows.slice(1).filter(({ links }) => links.length === 0)).toEqual([])
})

test('the list of documents has every document', () => {
  const paths = userDocuments
    .map(({ path }) => path)
    .filter((path) => /^docs\/(?!README)[\w-]+\.md$/.test(path))
  expect(paths.filter((path) => index?.prose.includes(`](${path.slice(5)})`) !== true)).toEqual([])
})
