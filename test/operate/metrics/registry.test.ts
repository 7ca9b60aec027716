import { expect, test } from 'vitest'
import { families } from '#src/operate/metrics/metric-families.ts'
import { Registry, seriesMax } from '#src/operate/metrics/registry.ts'
import { exposed, valueIn } from './exposition.ts'

test('an independent parser reads counters and gauges', () => {
  const registry = new Registry()
  registry.add('rungs_fills_total', { strategy: 'grid' })
  registry.add('rungs_fills_total', { strategy: 'grid' }, 2)
  registry.add('rungs_orders_total', { strategy: 'grid', outcome: 'refused' }, 0)
  // The order of labels has no meaning.
  registry.add('rungs_orders_total', { outcome: 'refused', strategy: 'grid' })
  const page = exposed(
    registry.text([
      { name: 'rungs_equity', labels: {}, value: '50042.530000000000000001' },
      { name: 'rungs_limit_used', labels: { strategy: 'grid', limit: 'max_notional btc' }, value: '-0.5' },
    ]),
  )
  expect(page.map(({ name, type, help }) => ({ name, type, help }))).toEqual(
    ['rungs_equity', 'rungs_limit_used', 'rungs_orders_total', 'rungs_fills_total'].map((name) => {
      const found = Object.entries(families).find(([each]) => each === name)
      return { name, type: found?.[1].type.toUpperCase(), help: found?.[1].help }
    }),
  )
  expect(valueIn(page, 'rungs_fills_total', { strategy: 'grid' })).toBe('3')
  expect(valueIn(page, 'rungs_orders_total', { strategy: 'grid', outcome: 'refused' })).toBe('1')
  // Money is not rounded.
  expect(valueIn(page, 'rungs_equity')).toBe('50042.530000000000000001')
  expect(valueIn(page, 'rungs_limit_used', { limit: 'max_notional btc' })).toBe('-0.5')
})

test('label values that could break the format are escaped', () => {
  const registry = new Registry()
  const hostile = [
    'a"} 1\nrungs_equity 7',
    String.raw`back\slash`,
    String.raw`\n`,
    '{}=,#',
    '𝟙\u2028',
  ] as const
  for (const strategy of hostile) registry.add('rungs_fills_total', { strategy })
  const text = registry.text([])
  const [fills, ...others] = exposed(text)
  expect(others).toEqual([])
  expect(fills?.metrics.map(({ labels }) => labels['strategy'])).toEqual([...hostile])
  expect(text.split('\n').filter((line) => !line.startsWith('#'))).toHaveLength(hostile.length + 1)
})

test('a histogram counts cumulatively, and the last bucket counts everything', () => {
  const registry = new Registry()
  for (const seconds of [0, 0.0001, 0.00011, 3, 99])
    registry.observe('rungs_journal_commit_seconds', {}, seconds)
  const [family] = exposed(registry.text([]))
  const [{ buckets = {}, sum, count } = {}] = family?.metrics ?? []
  expect(family?.type).toBe('HISTOGRAM')
  expect(buckets).toMatchObject({ '0.0001': '2', '0.0005': '3', '1': '3', '5': '4', '15': '4', '+Inf': '5' })
  expect(count).toBe('5')
  expect(Number(sum)).toBeCloseTo(102.00021, 9)
  // Labels stay separate, which that parser does not check.
  registry.observe('rungs_lane_wait_seconds', { lane: 'key' }, 1)
  registry.observe('rungs_lane_wait_seconds', { lane: 'public' }, 2)
  const lines = registry.text([]).split('\n')
  expect(lines).toContain('rungs_lane_wait_seconds_bucket{lane="key",le="1"} 1')
  expect(lines).toContain('rungs_lane_wait_seconds_bucket{lane="public",le="1"} 0')
  expect(lines).toContain('rungs_lane_wait_seconds_sum{lane="public"} 2')
  expect(lines).toContain('rungs_lane_wait_seconds_count{lane="key"} 1')
})

test('the number of series is bounded, and the rest is counted together', () => {
  const registry = new Registry()
  const crowd = seriesMax + 100
  for (let each = 0; each < crowd; each += 1) registry.add('rungs_fills_total', { strategy: `s${each}` })
  registry.add('rungs_fills_total', { strategy: 's0' })
  const page = exposed(registry.text([]))
  expect(page[0]?.metrics).toHaveLength(seriesMax + 1)
  expect(valueIn(page, 'rungs_fills_total', { strategy: 'other' })).toBe('100')
  expect(valueIn(page, 'rungs_fills_total', { strategy: 's0' })).toBe('2')
})

test('names and units follow the Prometheus conventions', () => {
  for (const [name, { type, help, labels }] of Object.entries(families)) {
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
    for (const label of labels) expect(label).toMatch(/^[a-z]+$/)
    expect(name.endsWith('_total'), name).toBe(type === 'counter')
    if (type === 'histogram') expect(name).toMatch(/_seconds$/)
    expect(help).toMatch(/\.$/)
  }
})
