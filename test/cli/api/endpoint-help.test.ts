import { expect, test } from 'vitest'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { endpointHelp, endpointList } from '#src/cli/api/endpoint-help.ts'
import { kebab } from '#src/cli/api/fields.ts'

const rows = Object.entries<Endpoint>(contract)

test('the list names every endpoint', () => {
  for (const [name] of rows) expect(endpointList()).toMatch(new RegExp(`^${kebab(name)} `, 'm'))
})

test.each(rows)('the help of %s names every field of its request', (name, row) => {
  const help = endpointHelp(name, row)
  for (const field of Object.keys(row.request.shape)) expect(help).toContain(`--${kebab(field)} `)
  expect(help).toContain(`npx rungs api ${kebab(name)}`)
})

test('the help of a bulk has the fields of an order', () => {
  const help = endpointHelp('collateralBulk', contract.collateralBulk)
  for (const field of ['market', 'amount', 'client_order_id', 'postOnly', 'ioc', 'rpi', 'positionSide']) {
    expect(help).toMatch(new RegExp(`^  ${field}: `, 'm'))
  }
})

test('the help states the assumptions where the specification is silent', () => {
  const help = endpointHelp('collateralBulk', contract.collateralBulk)
  expect(help).toContain('World switch: stopOnFailAnswer')
  expect(endpointHelp('ping', contract.ping)).not.toContain('batchMax')
})
