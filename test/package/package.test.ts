import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import packageJson from '../../package.json' with { type: 'json' }
import { rungs, startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import {
  installGlobally,
  installInProject,
  pack,
  runIn,
  tellSeconds,
  versionOf,
  type Installed,
} from './installed.ts'

const folder = temporaryFolder()
let files: string[]
let project: Installed
let global: Installed

beforeAll(async () => {
  mkdirSync(folder.file('packed'))
  const packed = await pack(folder.file('packed'))
  files = packed.files
  // One after the other: two at once share npm's cache, and were seen to wait for each other without an end.
  project = await installInProject(folder.file('project'), packed.tarball)
  global = await installGlobally(folder.file('global'), packed.tarball)
  for (const place of [project, global])
    process.stdout.write(`${place.folder}: Node ${await versionOf(place)}\n`)
})
afterAll(() => folder[Symbol.dispose]())

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({ dev: z.boolean().optional(), hasInstallScript: z.boolean().optional() }),
  ),
})

describe('the package', () => {
  test('holds JavaScript with its declarations, and what commands read; no sources, no tests', () => {
    const folders = [...new Set(files.map((path) => path.split('/')[0]))]
    const documents = existsSync('docs') ? ['docs'] : []
    const alone = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']
    expect(new Set(folders)).toEqual(new Set([...alone, 'config', 'dist', ...documents, 'src', 'strategies']))
    expect(files.filter((path) => path.startsWith('src/'))).toEqual([
      'src/bundled.mjs',
      'src/confined.mjs',
      'src/rungs.mjs',
    ])
    expect(files.filter((path) => /(?<!\.d)\.ts$|tsconfig|^config\/tools|\.tsbuildinfo$/.test(path))).toEqual(
      [],
    )
    const modules = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )
    expect(modules.length).toBeGreaterThan(500)
    for (const name of modules) {
      const built = `dist/${name.slice(0, -'.ts'.length)}`
      expect(files).toContain(`${built}.js`)
      expect(files).toContain(`${built}.d.ts`)
    }
    const read = readdirSync('config/markets').map((name) => `config/markets/${name}`)
    expect(files).toEqual(expect.arrayContaining([...read, 'config/exchange.yaml', 'config/paper.yaml']))
  })

  test('runs no script when it is installed, and nor does what it needs', () => {
    const { packages } = lockFile.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')))
    const withScript = Object.values(packages).filter(({ hasInstallScript, dev }) => hasInstallScript && !dev)
    expect(withScript).toEqual([])
    expect(Object.keys(packageJson.scripts)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:pre|post)?install$|^prepare$/)]),
    )
  })
})

describe.concurrent.each([
  'a dependency, by npx, on the Node that came with it',
  'global, on the Node of the machine',
])('installed as %s', (how) => {
  const installed = () => (how.startsWith('global') ? global : project)
  const market = resolve('config/markets/BTC_PERP.csv.zst')

  test('new, run, backtest and sweep work', async () => {
    const { rungs, folder: own } = installed()
    const told = await rungs(['new', 'grid.yaml', '--market', 'BTC_PERP', '--money', '2000', '--yes'])
    expect(told.code, told.stderr).toBe(0)
    expect(readFileSync(join(own, 'grid.yaml'), 'utf8')).toContain('BTC_PERP')

    const began = performance.now()
    const ran = await rungs(['run', 'grid.yaml', '--for', '5s', '--json', '--state-dir', 'state'], {
      text: '"type":"fill"',
      seen: () => tellSeconds(`${how}: first fill`, performance.now() - began),
    })
    expect(ran.code, ran.stderr).toBe(0)
    const lines = ran.stdout.trim().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'summary', unknown: 0, agrees: true })
    expect(lines.some((line) => line.includes('"type":"order-accepted"'))).toBe(true)

    const day = ['--market', market, '--from', '2026-01-05', '--to', '2026-01-06']
    const past = await rungs(['backtest', 'grid.yaml', ...day, '--json', '--report', 'past.html'])
    expect(past.code, past.stderr).toBe(0)
    expect(readFileSync(join(own, 'past.html'), 'utf8')).toContain('LightweightCharts')

    const vary = ['--vary', 'ladder.grid.levels=4,6', '--workers', '2', '--report', 'sweep.html']
    const swept = await rungs(['sweep', 'grid.yaml', ...day, ...vary])
    expect(swept.code, swept.stderr).toBe(0)
    expect(readFileSync(join(own, 'sweep.html'), 'utf8')).toContain('ladder.grid.levels')
  })
})

/** By the launcher of the package, with flags of Node. */
function start(words: readonly string[], node: readonly string[] = []) {
  return runIn(project.folder, project.node, [...node, 'node_modules/rungs/src/rungs.mjs', ...words])
}

describe('short commands in one file', () => {
  const strategy = ['check', resolve('strategies/01-static-grid.yaml')]

  test('print what the sources print, with a code cache from the second time on', async () => {
    const whole = await start([...strategy, '--venue', 'none.yaml'])
    expect(whole).toMatchObject({ code: 78, stdout: '' })
    const caches = join(project.folder, 'node_modules/rungs/node_modules/.cache/rungs')
    for (const words of [strategy, ['completion', 'bash'], ['sweep', '--help'], ['help']]) {
      const expected = await rungs(words)
      expect(await start(words)).toEqual(expected)
      expect(await start(words)).toEqual(expected)
    }
    const kept = readdirSync(caches).flatMap((name) => /\.cjs-(\w+)-v[\d.]+$/.exec(name)?.[1] ?? [])
    expect(kept.toSorted()).toEqual(['check', 'completion', 'help'])
  })

  test('an old Node prints version, help and completion without a second process', async () => {
    const old =
      'import p from "node:child_process"; import m from "node:module"; p.spawn = () => process.exit(99);' +
      'm.syncBuiltinESMExports(); Object.defineProperty(process.versions, "node", { value: "20.11.0" })'
    const node = ['--import', `data:text/javascript,${encodeURIComponent(old)}`]
    expect(await start(strategy, node)).toMatchObject({ code: 99 })
    for (const words of [['--version'], ['--help'], ['run', 'a.yaml', '--help'], ['completion', 'zsh']])
      expect(await start(words, node)).toEqual(await rungs(words))
  })
})

test('a program in TypeScript is checked against its types, and calls an exchange', async () => {
  writeFileSync(join(project.folder, 'program.ts'), program)
  // What the documents show is a program as well.
  const documents = ['docs/api.md', 'docs/library.md'].map((path) => readFileSync(path, 'utf8')).join('\n')
  const documented = [...documents.matchAll(/^```ts\n(.*? from 'rungs[^']*'.*?)^```$/gms)]
  expect(documented.length).toBe(3)
  for (const [index, [, text = '']] of documented.entries())
    writeFileSync(join(project.folder, `documented-${index}.ts`), text)
  const settings = {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      module: 'nodenext',
      target: 'esnext',
      lib: ['esnext'],
      types: ['node'],
      typeRoots: [resolve('node_modules/@types')],
      noEmit: true,
    },
    include: ['*.ts'],
  }
  writeFileSync(join(project.folder, 'tsconfig.json'), JSON.stringify(settings))
  const compiler = resolve('node_modules/typescript/bin/tsc')
  const checked = await runIn(project.folder, process.execPath, [compiler, '--project', '.'])
  expect(checked.stdout).toBe('')
  expect(checked.code).toBe(0)
  await using exchange = await startExchange()
  const ran = await runIn(project.folder, project.node, ['program.ts', exchange.url])
  expect(ran.stderr).toBe('')
  expect(JSON.parse(ran.stdout)).toEqual({ money: '100000', orders: ['accepted'] })
  const opened = documented.findIndex(([, text = '']) => text.includes('openExchange'))
  const own = await runIn(project.folder, project.node, [`documented-${opened}.ts`])
  expect(own).toMatchObject({ code: 0, stderr: '', stdout: "accepted\n[ 'mine.1 at 59000' ]\n" })
})

const program = `import { createClient, httpTransport, Nonces, Secret, systemClock, type OrderOutcome } from 'rungs'

const client = createClient({
  transport: httpTransport(process.argv[2] ?? ''),
  key: {
    credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
    nonces: new Nonces({ clock: systemClock, mode: 'strict' }),
  },
})
const order = { market: 'BTC_PERP', side: 'buy', amount: '0.01', price: '50000' } as const
const { orders } = await client.collateralBulk({ orders: [order] })
// @ts-expect-error -- a side is buy or sell
void (() => client.collateralBulk({ orders: [{ ...order, side: 'hold' }] }))
const balance = await client.mainBalance({ ticker: 'USDT' })
const money = balance.kind === 'answer' ? balance.value['USDT']?.main_balance : balance.kind
// @ts-expect-error -- an answer has a value only if there is one
void balance.value
console.log(JSON.stringify({ money, orders: orders.map(({ kind }: OrderOutcome) => kind) }))
await client.close()
`
