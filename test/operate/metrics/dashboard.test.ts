import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { families } from '#src/operate/metrics/metric-families.ts'

const config = (name: string) => readFileSync(new URL(`../../../config/${name}`, import.meta.url), 'utf8')
const place = z.object({ x: z.int(), y: z.int(), w: z.int().max(24), h: z.int() })
const dashboard = z
  .object({
    title: z.literal('Rungs'),
    schemaVersion: z.int(),
    panels: z.array(
      z.object({
        id: z.int(),
        type: z.string(),
        title: z.string().min(1),
        gridPos: place,
        datasource: z.object({ uid: z.string() }).optional(),
        targets: z
          .array(z.object({ expr: z.string(), datasource: z.object({ uid: z.string() }) }))
          .default([]),
      }),
    ),
    templating: z.object({
      list: z.array(z.object({ name: z.string(), definition: z.string().optional() })),
    }),
  })
  .parse(JSON.parse(config('grafana-dashboard.json')))
const { panels, templating } = dashboard

/** Prometheus adds the first one when it reads a bot, and a bot in a fleet has the second one in all metrics. */
const common = new Set(['instance', 'account'])

/** Each metric of an expression, with the labels of its selectors and sums. */
function metricsIn(expression: string): { name: string; labels: string[] }[] {
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', '))
  return [...expression.matchAll(/\b((?:rungs|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', matchers = '']) => ({
      name,
      labels: [...grouped, ...[...matchers.matchAll(/(\w+)=/g)].map(([, label = '']) => label)],
    }),
  )
}

const known = new Map<string, readonly string[]>(
  Object.entries(families).flatMap(([name, { type, labels }]) =>
    type === 'histogram'
      ? [[`${name}_bucket`, [...labels, 'le']] as const]
      : [[name, labels as readonly string[]] as const],
  ),
)
const asked = [
  ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...templating.list.flatMap(({ definition = '' }) =>
    definition.replace(/label_values\(([^,{]*).*, (\w+)\)/, '$1{$2=""}'),
  ),
].flatMap(metricsIn)

test('the dashboard uses only existing metrics and labels', () => {
  expect(asked.length).toBeGreaterThan(30)
  const strange = asked.flatMap(({ name, labels }) =>
    labels
      .filter((label) => !common.has(label) && known.get(name)?.includes(label) !== true)
      .map((label) => `${name} ${label}`),
  )
  expect(strange).toEqual([])
  expect(asked.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([])
})

test('the dashboard shows every metric', () => {
  const shown = new Set(asked.map(({ name }) => name))
  expect([...known.keys()].filter((name) => !shown.has(name))).toEqual([])
})

test('its panels do not overlap, are in order, and use the selected source', () => {
  expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
    'Health',
    'Orders',
    'Money',
    'Exposure',
    'Venue',
    'Process',
  ])
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const taken = new Map<string, string>()
  for (const { title, gridPos, datasource, targets, type } of panels) {
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect(taken.get(`${x} ${y}`), `${title} covers another one`).toBeUndefined()
        taken.set(`${x} ${y}`, title)
      }
    }
    if (type === 'row') continue
    for (const { uid } of [datasource ?? { uid: '' }, ...targets.map((each) => each.datasource)])
      expect(uid, title).toMatch(/^\$\{datasource\}$/)
  }
})

test('the Prometheus settings read the token from its file, and scrape only this machine', () => {
  expect(parse(config('prometheus.example.yaml'))).toMatchObject({
    scrape_configs: [
      {
        authorization: { credentials_file: expect.stringMatching(/\/token$/) },
        static_configs: [{ targets: [expect.stringMatching(/^127\.0\.0\.1:\d+$/)] }],
      },
    ],
  })
})
