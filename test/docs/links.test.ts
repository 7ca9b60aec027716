import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { allDocuments, root, userDocuments, type Document } from './documents.ts'
import { changesOf } from './guide-changes.ts'

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length

/** What a document names: links and pictures from its own folder, files in backquotes from the root. */
function namesIn({ path, prose }: Document): { target: string; anchor: string; place: string }[] {
  const links = [...prose.matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]*))?\)|(?:src|srcset)="([^":]+)"/g)]
  const quoted = [...prose.matchAll(/`((?:src|test|config|docs|strategies|\.ci)\/[\w./-]+)`/g)]
  return [
    ...links.map(({ 1: linked = '', 2: anchor = '', 3: pictured, index }) => ({
      target: posix.join(posix.dirname(path), pictured ?? linked) || path,
      anchor,
      own: pictured === undefined && linked === '',
      index,
    })),
    ...quoted.map(({ 1: target = '', index }) => ({ target, anchor: '', own: false, index })),
  ].map(({ target, anchor, own, index }) => ({
    target: own ? path : target,
    anchor,
    place: `${path}:${lineOf(prose, index)}`,
  }))
}

/** Files that the recipe of a guide adds. */
const added = new Set(
  allDocuments
    .flatMap(changesOf)
    .filter(({ hunks }) => hunks.every(({ before }) => before === ''))
    .map(({ path }) => path),
)

const anchorsOf = new Map(
  allDocuments.map(({ path, headings }) => [path, new Set(headings.map(({ anchor }) => anchor))]),
)

test('every file, link and heading that a document names exists', () => {
  const named = allDocuments.flatMap(namesIn)
  expect(named.length).toBeGreaterThan(50)
  const missing = named.flatMap(({ target, anchor, place }) => {
    if (!existsSync(`${root}${target}`) && !added.has(target)) return [`${place} names ${target}`]
    return anchor === '' || anchorsOf.get(target)?.has(anchor) === true
      ? []
      : [`${place} names the heading #${anchor} of ${target}`]
  })
  expect(missing).toEqual([])
})

test.each(userDocuments.filter(({ path }) => path.startsWith('docs/')))(
  '$path begins with a table of contents: one link for each section, in their order',
  ({ prose, headings }) => {
    const sections = headings.filter(({ depth, anchor }) => depth === 2 && anchor !== 'contents')
    const head = prose.split('\n').slice(0, (sections[0]?.line ?? 1) - 1)
    const links = [...head.join('\n').matchAll(/^\s*[-*] \[[^\]]*\]\(#([^)]*)\)/gm)].map(
      ([, anchor]) => anchor,
    )
    const anchors = new Set(headings.map(({ anchor }) => anchor))
    expect(links.filter((link) => !anchors.has(link ?? ''))).toEqual([])
    const ofSections = new Set(sections.map(({ anchor }) => anchor))
    expect(links.filter((link) => ofSections.has(link ?? ''))).toEqual([...ofSections])
  },
)

test('README is short enough to be read at once', () => {
  const { text } = userDocuments.find(({ path }) => path === 'README.md') ?? { text: '' }
  expect(text.split('\n').length).toBeLessThanOrEqual(250)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(15_000)
})
