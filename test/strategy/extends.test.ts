import { describe, expect, test } from 'vitest'
import { readStrategy, type Read } from '#src/strategy/file/read-strategy.ts'
import { strategyBytesMax, type Problem } from '#src/strategy/file/base-files.ts'
import { gridWith } from './strategy-files.ts'

const grid = gridWith()
const section = (name: string) => new RegExp(`^${name}:\\n(?: .*\\n|\\n)*`, 'm').exec(grid)?.[0] ?? ''
/** A base file for several strategies, and a grid that takes these sections from it. */
const house = `version: 1\nname: house\n${section('risk')}${section('submit')}`
const child = grid
  .replace(section('risk'), '')
  .replace(section('submit'), '')
  .replace('name: sgrid\n', 'name: sgrid\nextends: house.yaml\n')

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string, files: Record<string, string> = {}) =>
  readStrategy(bytes(text), (name) => (Object.hasOwn(files, name) ? bytes(files[name] ?? '') : undefined))

function whole(text: string, files: Record<string, string>): Read {
  const found = read(text, files)
  if (Array.isArray(found)) throw new Error(JSON.stringify(found))
  return found
}

function told(text: string, files: Record<string, string> = {}): string[] {
  const found = read(text, files)
  return Array.isArray(found) ? found.map(wording) : []
}

const wording = ({ file, line, column, message }: Problem) => `${file ?? ''}:${line}:${column} ${message}`
/** The place of a text in another, counted from one. */
function place(text: string, what: string): string {
  const before = text.slice(0, text.indexOf(what)).split('\n')
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`
}

describe('a strategy that extends another file', () => {
  test('has the content of both files', () => {
    const { strategy } = whole(child, { 'house.yaml': house })
    expect(strategy).toEqual(whole(grid, {}).strategy)
  })

  test('merges named things one by one, and takes everything else whole from the nearest file', () => {
    const base = `${house}let:\n  price: last(px) * 2\n  half: price / 2\nneeds: [bulk, history, balance, flex]\n`
    const middle =
      'version: 1\nname: middle\nextends: base.yaml\nneeds: [bulk, history]\nlet: { third: half / 3 }\n'
    const own = child.replace('house.yaml', 'middle.yaml').replace('needs: [bulk, history, balance]\n', '')
    const { strategy, programs } = whole(own, { 'middle.yaml': middle, 'base.yaml': base })
    expect(strategy.needs).toEqual(['bulk', 'history'])
    expect(programs.lets.map(({ name, program }) => `${name} = ${program.text}`)).toEqual([
      'price = last(px)',
      'half = price / 2',
      'third = half / 3',
    ])
  })

  test('can be written as one file', () => {
    const base = `${house}let: { 'half': last(px) / 2 } # a comment\n`
    const joined = whole(child, { 'house.yaml': base })
    const again = whole(joined.text(), {})
    expect(again.strategy).toEqual(joined.strategy)
    expect(Object.keys(again.strategy.let)).toEqual(['half', 'price'])
    expect(again.strategy).not.toHaveProperty('extends')
    expect(whole(grid, {}).text()).toBe(grid)
  })

  test('has each mistake reported in its own file', () => {
    const base = house.replace('pause: 6%', 'pause: 6').replace('chunk:', 'chnuk:')
    const own = child.replace('when: price <', 'when: prize <')
    const found = told(own, { 'house.yaml': `${base}let: { x: lst(px) }\n` })
    expect(found).toEqual([
      `:${place(own, 'prize <')} unknown name "prize"`,
      `house.yaml:${place(base, '6,')} risk.drawdown.pause: must be a percentage`,
      `house.yaml:${place(base, 'chnuk')} unknown key "chnuk"`,
      `house.yaml:${base.split('\n').length}:11 unknown function lst()`,
    ])
  })

  test('reports a limit in the other file that it breaks', () => {
    const { placed } = whole(child, { 'house.yaml': house })
    const problem = placed({ path: ['risk', 'max_open_orders'], message: 'too many', hint: '' })
    expect(wording(problem)).toBe(`house.yaml:${place(house, '24')} too many`)
    expect(wording(placed({ path: ['ladder', 'grid', 'levels'], message: 'too many', hint: '' }))).toBe(
      `:${place(child, '21\n')} too many`,
    )
  })

  test('has its own name and tests', () => {
    const base = `${house}tests:\n  - { name: x, given: {}, expect: { rules: { place: true } } }\n`
    const { strategy } = whole(child.replace(section('tests'), ''), { 'house.yaml': base })
    expect(strategy.tests).toEqual([])
    expect(told(child.replace('name: sgrid\n', ''), { 'house.yaml': house })).toEqual([
      expect.stringMatching(/the key "name" is missing/),
    ])
  })

  test.each<[string, string, Record<string, string>, string]>([
    ['that is not there', child, {}, `:${place(child, 'house.yaml')} extends: house.yaml cannot be read`],
    [
      'in another folder',
      child.replace('house.yaml', '../house.yaml'),
      { '../house.yaml': house },
      `:${place(child, 'house.yaml')} extends: must be the name of a file in the same folder`,
    ],
    [
      'that extends itself',
      child,
      { 'house.yaml': `extends: top.yaml\n${house}`, 'top.yaml': 'extends: house.yaml\n' },
      'top.yaml:1:10 extends: house.yaml extends itself',
    ],
    [
      'in too long a row',
      child.replace('house.yaml', 'a1.yaml'),
      Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`a${n}.yaml`, `extends: a${n + 1}.yaml\n`])),
      'a4.yaml:1:10 extends: a chain of more than 5 files',
    ],
    [
      'that is no YAML of ours',
      child,
      { 'house.yaml': 'risk: &a {}\n' },
      'house.yaml:1:10 anchors are not allowed',
    ],
    [
      'that is no text',
      child,
      { 'house.yaml': 'a: 1\nb: \u0001\n' },
      'house.yaml:2:4 this character is invisible or changes the text direction',
    ],
    [
      'that is too large',
      child,
      { 'house.yaml': ' '.repeat(strategyBytesMax + 1) },
      `house.yaml:1:1 the file has ${strategyBytesMax + 1} bytes, more than ${strategyBytesMax}`,
    ],
  ])('cannot extend %s', (_, text, files, expected) => {
    expect(told(text, files)).toEqual([expected])
  })
})
