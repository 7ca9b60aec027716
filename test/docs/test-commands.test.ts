import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { longest } from '../../config/tools/file-order.ts'

test('each file of the order of npm test exists', () => {
  expect(longest.filter((path) => !existsSync(path))).toEqual([])
})

test('each test file that npm test leaves out is run by one other command', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const leftOut = [...scripts.test.matchAll(/--exclude '([^']+)'/g)].flatMap(([, pattern]) =>
    globSync(`${pattern}/*.test.ts`),
  )
  const parts = ['programs', 'foreign', 'package'].flatMap((name) =>
    scripts[name].split('vitest.config.ts ')[1].split(' '),
  )
  expect(leftOut.length).toBeGreaterThan(50)
  const commands = (path: string) => parts.filter((part) => path.includes(part)).length
  expect(leftOut.filter((path) => commands(path) !== 1)).toEqual([])
  const others = globSync('test/**/*.test.ts').filter((path) => !leftOut.includes(path))
  expect(others.filter((path) => commands(path) !== 0)).toEqual([])
})
