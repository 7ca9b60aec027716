import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { callFlags, parseArguments } from '#src/cli/api/arguments.ts'
import { fieldsOf, folded, kebab } from '#src/cli/api/fields.ts'
import { endpointHelp, endpointList, exampleCommand, exampleWords } from '#src/cli/api/endpoint-help.ts'
import { placeOf, type Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const rows: [string, Endpoint][] = Object.entries(contract)

test.each(rows)('the example command of %s gives the example request', (_, row) => {
  using folder = temporaryFolder()
  // Values from files are in files that only the owner can read.
  const words = exampleWords(row).map((word, index, all) => {
    if (!word.startsWith('@')) return word
    const name = all[index - 1]?.slice(2) ?? ''
    const value: unknown = Reflect.get(row.example.request, name)
    writeFileSync(folder.file(name), `${String(value)}\n`, { mode: 0o600 })
    return `@${folder.file(name)}`
  })
  expect(parseArguments(row, words).parameters).toEqual(row.example.request)
})

test.each(rows)('every field of %s has one flag, different from the common flags', (_, row) => {
  const names = [...Object.keys(callFlags), ...fieldsOf(row).map((field) => field.flag)].map(folded)
  expect(new Set(names).size).toBe(names.length)
})

test.each(rows)('the help of %s names every field, its example and its answer', (name, row) => {
  const help = endpointHelp(name, row)
  for (const field of fieldsOf(row)) expect(help).toContain(`--${field.flag} `)
  expect(help).toContain(`Example\n  npx rungs api ${kebab(name)}`)
  expect(help).toContain('Answer\n')
})

test('the list has every endpoint with section, access and effect', () => {
  const list = endpointList().split('\n')
  for (const [name, row] of rows) {
    const line = list.find((each) => each.startsWith(`${kebab(name)} `))
    expect(line?.split(/\s+/).slice(1, 4)).toEqual([placeOf(row), row.access, row.effect])
    expect(line).toContain(row.summary)
  }
})

test('the word null is null for a nullable field, and text for every other', () => {
  const { parameters } = parseArguments(contract.killSwitch, ['--market', 'null', '--timeout', 'null'])
  expect(parameters).toEqual({ market: 'null', timeout: null })
  expect(endpointHelp('killSwitch', contract.killSwitch)).toMatch(/--timeout TEXT\|null +required/)
})

test('help names required fields, maximum lengths and possible values', () => {
  expect(endpointHelp('createCode', contract.createCode)).toMatch(/--ticker TEXT +required/)
  expect(endpointHelp('createCode', contract.createCode)).toMatch(
    /--passphrase @FILE\|- +Needed .* at most 25 characters/,
  )
  expect(endpointHelp('flexPlans', contract.flexPlans)).toMatch(/--limit INTEGER +1 to 100/)
  expect(endpointHelp('workerHashrate', contract.workerHashrate)).toMatch(/--interval 5m\|1h\|24h/)
})

test('an example is quoted for a shell', () => {
  expect(exampleCommand('createCode', contract.createCode)).toBe(
    'npx rungs api create-code --ticker USDT --amount 25.5 --passphrase @passphrase.txt --description rent --yes',
  )
  expect(exampleCommand('flexHistory', contract.flexHistory)).toBe(
    "npx rungs api flex-history --limit 10 --action-types '[4]'",
  )
})

test('a boolean flag takes no value, true or false; after an equals sign a value may begin with dashes', () => {
  const { parameters } = parseArguments(contract.flexInvest, ['--with-reinvest', '--plan', 'a'])
  expect(parameters).toEqual({ withReinvest: true, plan: 'a' })
  expect(parseArguments(contract.flexInvest, ['--withReinvest', 'false']).parameters).toEqual({
    withReinvest: false,
  })
  expect(parseArguments(contract.createCode, ['--description=--secret=1']).parameters).toEqual({
    description: '--secret=1',
  })
})

test('a choice of numbers gives a number, and an object may be given as JSON', () => {
  expect(parseArguments(contract.flexInvestments, ['--investment-status', '0']).parameters).toEqual({
    investmentStatus: 0,
  })
  expect(
    parseArguments(contract.editSubAccount, ['--permissions', '{"spotEnabled":true}']).parameters,
  ).toEqual({
    permissions: { spotEnabled: true },
  })
})

test('the name of a prototype is an ordinary value', () => {
  const { parameters } = parseArguments(contract.editSubAccount, [
    '--permissions',
    '{"__proto__":{"spotEnabled":true}}',
  ])
  expect(Object.hasOwn(Object.prototype, 'spotEnabled')).toBe(false)
  expect(contract.editSubAccount.request.safeParse(parameters).success).toBe(false)
})
