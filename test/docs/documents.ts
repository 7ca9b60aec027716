import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** A fenced block, with the comment `<!-- … -->` in the line above it. */
export type Block = { language: string; text: string; line: number; mark: string }
type Heading = { depth: number; text: string; anchor: string; line: number }
export type Document = {
  path: string
  text: string
  /** The text without fenced blocks and comments. Lines keep their numbers. */
  prose: string
  blocks: Block[]
  headings: Heading[]
}

const fence = /^(?:<!-- (?<mark>[^\n]*?) -->\n)?```(?<language>\w*)\n(?<body>.*?)^```$/gms

function blocksOf(text: string): Block[] {
  return [...text.matchAll(fence)].map(({ groups = {}, index }) => ({
    language: groups['language'] ?? '',
    text: groups['body'] ?? '',
    line: text.slice(0, index).split('\n').length,
    mark: groups['mark'] ?? '',
  }))
}

/** Anchors as GitHub makes them: the words of the heading, in lower case, with hyphens, numbered if they occur again. */
function headingsOf(prose: string): Heading[] {
  const taken = new Map<string, number>()
  return [...prose.matchAll(/^(#{1,6}) (.*)$/gm)].map(([, marks = '', raw = ''], index, all) => {
    const text = raw.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')
    const plain = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    const before = taken.get(plain) ?? 0
    taken.set(plain, before + 1)
    const line = prose.slice(0, all[index]?.index ?? 0).split('\n').length
    return { depth: marks.length, text, anchor: before === 0 ? plain : `${plain}-${before}`, line }
  })
}

function read(path: string): Document {
  const text = readFileSync(`${root}${path}`, 'utf8')
  const prose = text
    .replace(fence, (block) => block.replace(/[^\n]/g, ''))
    .replace(/<!--.*?-->/gs, (comment) => comment.replace(/[^\n]/g, ''))
  return { path, text, prose, blocks: blocksOf(text), headings: headingsOf(prose) }
}

/** All documents of the repository: README first. */
export const allDocuments: readonly Document[] = [
  ...new Set([
    'README.md',
    ...globSync(['*.md', '{docs,strategies,config,src,test}/**/*.md'], { cwd: root })
      .map((path) => path.replaceAll('\\', '/'))
      .toSorted(),
  ]),
].map(read)

/** Those that users read. A document is added by its file alone. */
export const userDocuments = allDocuments.filter(({ path }) =>
  /^(?:README|CONTRIBUTING|SECURITY)\.md$|^(?:docs|strategies)\//.test(path),
)

/** The text of all documents for users: for tests that compare what a document shows with what the program does. */
export const documentsText = userDocuments.map(({ text }) => text).join('\n')
