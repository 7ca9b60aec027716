import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { equivalents } from './equivalents.ts'
import { mutants } from './mutants.ts'
import { mutationsOf } from './operators.ts'
import { allMutations, scopes } from './scope.ts'

test('each mutant changes exactly one place of its file', () => {
  const wrong = mutants.flatMap(({ id, file, find }) => {
    const count = readFileSync(file, 'utf8').split(find).length - 1
    return count === 1 ? [] : [`${id} matches ${count} times in ${file}`]
  })
  expect(wrong).toEqual([])
})

test('each equivalent mutation is one of the mutation run', () => {
  const all = new Set(allMutations().map(({ path, before, after }) => `${path}\n${before}\n${after}`))
  const gone = equivalents.filter(({ path, before, after }) => !all.has(`${path}\n${before}\n${after}`))
  expect(gone).toEqual([])
})

test('each path of the mutation run names a file', () => {
  const paths = Object.values(scopes).flatMap(({ files, suites }) => files.concat(suites.flat()))
  const single = paths.flatMap((path) => {
    const [all, names] = /\{(.*?)\}/.exec(path) ?? []
    return all === undefined || names === undefined
      ? [path]
      : names.split(',').map((name) => path.replace(all, name))
  })
  expect(single.filter((path) => globSync(path).length === 0)).toEqual([])
})

test('a mutation changes one place, and no type', () => {
  const text = "export const f = (a: 'x' | 'y', n = 1): boolean => a === 'x' && n + 1 < 3\n"
  const after = mutationsOf(text).map(({ start, end, to }) => text.slice(0, start) + to + text.slice(end))
  const changed = (from: string, to: string) => text.replace(from, to)
  expect(new Set(after)).toEqual(
    new Set([
      changed("a === 'x' && n + 1 < 3", 'undefined'),
      changed('&&', '||'),
      changed('===', '!=='),
      changed("a === 'x'", 'true'),
      changed("a === 'x'", 'false'),
      changed("=== 'x'", "=== ''"),
      changed('+', '-'),
      changed('<', '<='),
      changed('<', '>='),
      changed('n + 1 < 3', 'true'),
      changed('n + 1 < 3', 'false'),
    ]),
  )
})
