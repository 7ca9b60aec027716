import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'

const { stdout: overview } = await rungsHere(['--help'])
const names = [...overview.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name)

test('rungs --help lists the commands in four groups', () => {
  const headings = [...overview.matchAll(/^([A-Z][a-z]+):$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual(['Options', 'Trade', 'Research', 'Operate', 'Exchange'])
  expect(names.slice(0, 3)).toEqual(['new', 'check', 'run'])
  expect(names.length).toBeGreaterThan(20)
})

test.each(names.filter((name) => name !== 'api'))(
  'rungs %s --help states the default of each flag',
  async (name) => {
    const { stdout } = await rungsHere([name, '--help'])
    const lines = stdout
      .slice(stdout.indexOf('Options:'))
      .split(/\n(?= {2}-)/)
      .slice(1)
    const flags = lines.map((line) => line.split('\n\n')[0]?.replaceAll(/\s+/g, ' ').trim() ?? '')
    expect(flags.length).toBeGreaterThan(0)
    const unclear = flags.filter((flag) => !/^-h|\(required\)|\([^()]*default: [^()]+\)/.test(flag))
    expect(unclear).toEqual([])
  },
)
