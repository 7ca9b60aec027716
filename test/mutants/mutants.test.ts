import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mutants } from './mutants.ts'

test('each mutant changes exactly one place of its file', () => {
  const wrong = mutants.flatMap(({ id, file, find }) => {
    const count = readFileSync(file, 'utf8').split(find).length - 1
    return count === 1 ? [] : [`${id} matches ${count} times in ${file}`]
  })
  expect(wrong).toEqual([])
})
