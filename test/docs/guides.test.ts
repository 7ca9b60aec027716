import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isSlowRun } from '#test/properties/runs.ts'
import { root, userDocuments } from './documents.ts'
import { changed, changesOf, filesOf, type GuideChange } from './guide-changes.ts'

/** How many files of `src/` a change may touch. */
const filesMost: Readonly<Record<string, number>> = {
  'docs/guides/endpoint.md': 3,
  'docs/guides/exit-kind.md': 3,
  'docs/guides/ladder-shape.md': 3,
  'docs/guides/limit.md': 2,
  'docs/guides/order-field.md': 2,
}
const guides = userDocuments.filter((document) => changesOf(document).length > 0)

test('each recipe that has a limit shows its changes', () => {
  expect(guides.map(({ path }) => path).toSorted()).toEqual(Object.keys(filesMost))
})

describe.each(guides)('$path', (guide) => {
  const changes = changesOf(guide)
  const files = filesOf(guide)

  test('its changes fit the sources, and its table lists their files', () => {
    for (const change of changes) changed(textOf(`${root}${change.path}`), change)
    const paths = [...new Set(changes.map(({ path }) => path))]
    expect(files.map(({ path }) => path).toSorted()).toEqual(paths.toSorted())
    expect(paths.length).toBeLessThanOrEqual(filesMost[guide.path] ?? 0)
  })

  test.runIf(isSlowRun)(
    'the compiler names the other files once the row is there, and nothing in the end',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'rungs-guide-'))
      try {
        for (const name of ['src', 'package.json', 'tsconfig.json'])
          cpSync(`${root}${name}`, join(folder, name), { recursive: true })
        symlinkSync(`${root}node_modules`, join(folder, 'node_modules'))
        apply(
          folder,
          changes.filter(({ isRow }) => isRow),
        )
        const named = files.flatMap(({ path, named }) =>
          named === 'yes' ? path : (/^in `(.+)`$/.exec(named)?.[1] ?? []),
        )
        expect(await filesWithErrors(folder)).toEqual(named.toSorted())
        apply(
          folder,
          changes.filter(({ isRow }) => !isRow),
        )
        expect(await filesWithErrors(folder)).toEqual([])
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
  )
})

function apply(folder: string, changes: readonly GuideChange[]): void {
  for (const change of changes) {
    const path = join(folder, change.path)
    writeFileSync(path, changed(textOf(path), change))
  }
}

/** Empty for a file that the change adds. */
function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** The files of `src/` in which the compiler finds a mistake. */
async function filesWithErrors(folder: string): Promise<string[]> {
  const config = {
    extends: './tsconfig.json',
    compilerOptions: { tsBuildInfoFile: './types' },
    include: ['src'],
  }
  writeFileSync(join(folder, 'guide.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/lib/tsc.js')
  const words = ['--noEmit', '--pretty', 'false', '--project', join(folder, 'guide.json')]
  const compiler = spawn(process.execPath, [tsc, ...words])
  let output = ''
  compiler.stdout.on('data', (part: Buffer) => (output += part.toString()))
  compiler.stderr.on('data', (part: Buffer) => (output += part.toString()))
  const [code] = await once(compiler, 'close')
  const found = [...output.matchAll(/^(?:.*\/)?(src\/[\w/.-]+)\(\d+,\d+\): error/gm)].map(
    ([, path = '']) => path,
  )
  if (found.length === 0) expect({ code, output }).toEqual({ code: 0, output: '' })
  return [...new Set(found)].toSorted()
}
