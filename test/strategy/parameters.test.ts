import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readStrategy } from '#src/strategy/file/read-strategy.ts'
import { gridWith, strategyIn, told } from './strategy-files.ts'

const withParameters = (section: string, ...changes: readonly (readonly [string, string])[]) =>
  gridWith(['markets:\n', `parameters:\n  ${section}\n\nmarkets:\n`], ...changes)
const bytes = (text: string) => new TextEncoder().encode(text)
const parametersOf = (text: string) =>
  strategyIn(text).parameters.map(({ name, default: value, values }) => [name, value, values])

describe('a parameter', () => {
  test('is its default wherever a value refers to it', () => {
    const text = withParameters(
      'lines: { default: 21, values: 11..41:10 }',
      ['levels: 21', 'levels: $lines'],
      ['when: price < 54000 ||', 'when: price < 53979 + $lines ||'],
    )
    const { strategy } = strategyIn(text)
    const plain = gridWith(['price < 54000 ||', 'price < 53979 + 21 ||'])
    expect(strategy).toEqual(strategyIn(plain).strategy)
  })

  test.for<[string, string, string[]]>([
    ['x: 1%', '1%', ['1%']],
    ['x: 11..41:10', '21', ['11', '21', '31', '41']],
    ['x: [10m, 5m, 1h]', '10m', ['10m', '5m', '1h']],
    ['x: { default: 5m, values: [10m, 5m] }', '5m', ['10m', '5m']],
    ['x: 1..3', '2', ['1', '2', '3']],
    ['x: 1000 quote..3000 quote:1000 quote', '2000 quote', ['1000 quote', '2000 quote', '3000 quote']],
    ['x: -30%..-10%:10%', '-20%', ['-30%', '-20%', '-10%']],
    ['x: [250ms..8s]', '250ms..8s', ['250ms..8s']],
  ])('of the form %s is %s', ([written, value, values]) => {
    expect(parametersOf(withParameters(written))).toEqual([['x', value, values]])
  })

  test.for<[string, string, string, number]>([
    ['0.2%..2%', '0.2%', '2%', 181],
    ['0.5..1.5', '0.5', '1.5', 101],
    ['1.0..2.0', '1', '2', 101],
    ['1%..2%', '1%', '2%', 101],
    ['1000..90000', '1000', '90000', 891],
    ['5m..50m', '5m', '50m', 46],
  ])('without a step has values of few digits: %s', ([written, first, last, count]) => {
    const [[, , values = []] = []] = parametersOf(withParameters(`x: ${written}`))
    expect([values[0], values.at(-1), values.length]).toEqual([first, last, count])
  })

  test('of a base file can have other values in the file that extends it', () => {
    const base = withParameters('lines: 11..41:10', ['levels: 21', 'levels: $lines'])
    const own = 'version: 1\nname: own\nextends: base.yaml\nparameters: { lines: 31 }\n'
    const read = readStrategy(bytes(own), () => bytes(base))
    if (Array.isArray(read)) throw new Error(JSON.stringify(read))
    expect(read.strategy.ladder['grid']?.levels).toBe(31)
    const again = strategyIn(read.text())
    expect(again.strategy).toEqual(read.strategy)
    expect(again.parameters).toEqual([{ name: 'lines', default: '31', values: ['31'], isUsed: true }])
  })

  test('says whether a value refers to it', () => {
    const { parameters } = strategyIn(withParameters('a: 21\n  b: 3', ['levels: 21', 'levels: $a']))
    expect(parameters.map(({ name, isUsed }) => [name, isUsed])).toEqual([
      ['a', true],
      ['b', false],
    ])
  })
})

test.for<[string, string]>([
  ['x: 2%..1%', '13:6 parameters.x: ends below its start'],
  ['x: 1%..2', '13:6 parameters.x: mixes units: "%" and ""'],
  ['x: 1..2:0', '13:6 parameters.x: has a step of zero'],
  ['x: 1..20000:1', '13:6 parameters.x: has 20000 values, more than 10000'],
  ['x: [1, 2, 1]', '13:6 parameters.x: has the value 1 twice'],
  [
    'x: { default: 3%, values: 1%..2% }',
    '13:17 parameters.x.default: must be one of the values, or within their range',
  ],
  [
    'x: { default: 3, values: [1, 2] }',
    '13:17 parameters.x.default: must be one of the values, or within their range',
  ],
  ['x: { default: 3, value: 1 }', '13:20 unknown key "value"'],
  [
    'Step: 1',
    '13:9 parameters.Step: must be a name of at most 16 lower case letters, digits and underscores',
  ],
])('%s is refused: %s', ([section, problem]) => {
  expect(told(withParameters(section))).toContain(problem)
})

test('an unknown parameter is a mistake at its reference, also in an expression', () => {
  const text = withParameters(
    'lines: 21',
    ['levels: 21', 'levels: $lnes'],
    ['let:\n  price: last(px)', 'let:\n  price: "last(px) * $x"'],
  )
  const lines = text.split('\n')
  const place = (what: string) => {
    const line = lines.findIndex((each) => each.includes(what))
    return `${line + 1}:${(lines[line]?.indexOf(what) ?? 0) + 1}`
  }
  expect(told(text)).toEqual([
    `${place('$x')} there is no parameter "x"`,
    `${place('$lnes')} there is no parameter "lnes"`,
  ])
})

test('a value of the wrong kind is a mistake where the parameter is used', () => {
  const text = withParameters('lines: 1%..2%', ['levels: 21', 'levels: $lines'])
  expect(told(text)).toEqual([expect.stringMatching(/^\d+:13 ladder\.grid\.levels: must be a whole number/)])
})

test('without the section, a dollar sign is text', () => {
  const { strategy } = strategyIn(gridWith(['alert: the price has left the grid', 'alert: $price has left']))
  expect(strategy.rules[1]?.do).toContainEqual({ alert: '$price has left' })
})

test('the example declares parameters that all are used', () => {
  const example = new TextEncoder().encode(readFileSync('docs/examples/parameters.yaml', 'utf8'))
  const read = readStrategy(example, () => readFileSync('docs/examples/base.yaml'))
  expect(Array.isArray(read) ? read : read.parameters.filter(({ isUsed }) => !isUsed)).toEqual([])
})
