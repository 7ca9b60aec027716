import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from './documents.ts'

const [, section = ''] = readFileSync(`${root}SECURITY.md`, 'utf8').split(
  '\n## Requirements and their tests\n',
)
const rows = [...section.matchAll(/^\| (E\.\d)\.(\d+) \| (.*?) \| (yes|in another way) \| (.*) \|$/gm)]

test('SECURITY.md has each of the 38 requirements once, in their order', () => {
  expect(rows.map(([, , number]) => Number(number))).toEqual(
    Array.from({ length: 38 }, (_, index) => index + 1),
  )
})

test('every test that SECURITY.md names exists, in the file that it names', () => {
  const named = rows.flatMap(([, , number, , , tests = '']) =>
    [...tests.matchAll(/`([^`]+)`: (.*?)(?=, `test\/|$)/g)].map(([, path = '', name = '']) => ({
      number,
      path,
      name,
    })),
  )
  expect(named.length).toBeGreaterThan(38)
  const missing = named.filter(
    ({ path, name }) =>
      !existsSync(`${root}${path}`) || !readFileSync(`${root}${path}`, 'utf8').includes(`'${name}'`),
  )
  expect(missing).toEqual([])
})

test('every requirement that is met in another way has its row in decision 0002', () => {
  const decision = readFileSync(`${root}docs/adr/0002-security-requirements.md`, 'utf8')
  const others = rows
    .filter(([, , , , met]) => met === 'in another way')
    .map(([, area, number]) => `${area}.${number}`)
  const decided = [...decision.matchAll(/^\| (E\.\d\.\d+) \|/gm)].map(([, number]) => number)
  expect(decided).toEqual(others)
})
