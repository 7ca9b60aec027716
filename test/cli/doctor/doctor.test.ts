import { createServer } from 'node:http'
import { once } from 'node:events'
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  capabilityFinding,
  clockFinding,
  folderFinding,
  keyFinding,
  nodeFinding,
  permissionFinding,
} from '#src/cli/doctor/doctor-checks.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { startBot, isType } from '#test/runtime/support/bot-process.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { exchangeHere, type ExchangeHere } from '#test/cli/support/exchange-here.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

let files = 0
const answer = z.object({
  ok: z.boolean(),
  findings: z.array(
    z.strictObject({
      about: z.string(),
      verdict: z.enum(['good', 'note', 'bad']),
      found: z.string().min(1),
      means: z.string().min(1),
      do: z.string().min(1).optional(),
    }),
  ),
})

/** The verdicts of the doctor by subject. */
async function doctor(...words: string[]) {
  const { code, stdout } = await rungsHere(['doctor', '--json', ...words])
  const { ok, findings } = answer.parse(JSON.parse(stdout))
  expect(ok).toBe(code === 0)
  return {
    code,
    verdicts: Object.fromEntries(findings.map(({ about, verdict }) => [about, verdict])),
    findings,
  }
}

function venueFile(url: string, key: string, secret: string): string {
  const path = folder.file(`${(files += 1)}.yaml`)
  writeFileSync(path, `url: ${url}\nkey: ${key}\nsecret: ${secret}\n`)
  return path
}

const goodEverywhere = {
  node: 'good',
  confinement: 'good',
  'state folder': 'good',
  settings: 'good',
  venue: 'good',
}

/** Forwards requests to an exchange, and records them. */
async function startWatcher(target: string) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    paths.push(path.replace(/\?.*/, ''))
    void (async () => {
      const body = await buffer(request)
      const { host: _, connection: _connection, 'content-length': _length, ...headers } = request.headers
      const told = await fetch(`${target}${path}`, {
        method: request.method ?? 'GET',
        headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
        ...(body.length > 0 && { body }),
      })
      response.writeHead(told.status, { 'content-type': told.headers.get('content-type') ?? '' })
      response.end(Buffer.from(await told.arrayBuffer()))
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  return { url, paths, [Symbol.dispose]: () => server.close().closeAllConnections() }
}

describe('rungs doctor', () => {
  let exchange: ExchangeHere
  beforeAll(async () => {
    exchange = await exchangeHere(['--profile', 'full'])
  })
  afterAll(() => exchange.end())

  test('accepts a venue, and sends only reads', async () => {
    using watcher = await startWatcher(exchange.url)
    const venue = venueFile(watcher.url, 'reader-key', 'reader-secret')
    const { code, verdicts, findings } = await doctor('--venue', venue, '--state-dir', folder.file('state'))
    expect({ code, verdicts }).toEqual({
      code: 0,
      verdicts: {
        ...goodEverywhere,
        clock: 'good',
        key: 'good',
        account: 'good',
        permissions: 'good',
        leverage: 'good',
        'position mode': 'good',
        // The account has one position for both sides, and the file agrees.
        capabilities: 'note',
        limits: 'good',
        fees: 'good',
      },
    })
    expect(findings.find(({ about }) => about === 'permissions')?.found).toBe(
      'the key may read, but may not withdraw money',
    )
    const effects = new Map<string, string>(Object.values(contract).map(({ path, effect }) => [path, effect]))
    expect(watcher.paths.length).toBeGreaterThan(8)
    expect(watcher.paths.filter((path) => effects.get(path) !== 'read')).toEqual([])
  })

  test('reports a refused key for a wrong secret, with exit code 2', async () => {
    const venue = venueFile(exchange.url, 'paper-key', 'not-it')
    const { code, findings } = await doctor('--venue', venue, '--state-dir', folder.file('state'))
    expect(code).toBe(2)
    const key = findings.find(({ about }) => about === 'key')
    expect(key).toMatchObject({ verdict: 'bad', do: expect.stringContaining('Check key and secret') })
    expect(JSON.stringify(findings)).not.toContain('not-it')
  })

  test('reports another leverage and another account than the venue file names, and how to change them', async () => {
    const venue = venueFile(exchange.url, 'paper-key', 'paper-secret')
    appendFileSync(venue, 'leverage: 7\naccount: 0123456789abcdef\nshortSide: true\n')
    const { code, verdicts, findings } = await doctor('--venue', venue, '--state-dir', folder.file('state'))
    expect({ code, verdicts }).toMatchObject({
      code: 2,
      verdicts: { leverage: 'bad', account: 'note', 'position mode': 'good' },
    })
    const found = (about: string) => findings.find((each) => each.about === about)
    expect(found('leverage')).toMatchObject({
      found: '1 for the whole account, cross margin; the venue file names 7',
      do: expect.stringContaining('rungs api set-leverage --leverage NUMBER'),
    })
    expect(found('account')?.do).toMatch(/account: [0-9a-f]{16}$/)
    expect(found('position mode')?.means).toContain('rungs api set-hedge-mode --hedge-mode true')
  })

  test('sends no signed call while a bot runs in the folder', async () => {
    await using bot = startBot(['strategies/01-static-grid.yaml', '--state-dir', folder.file('bot')])
    await bot.said(isType('started'))
    const venue = venueFile(exchange.url, 'paper-key', 'paper-secret')
    const { code, verdicts } = await doctor('--venue', venue, '--state-dir', folder.file('bot'))
    expect({ code, verdicts }).toEqual({
      code: 0,
      verdicts: { ...goodEverywhere, clock: 'good', key: 'note' },
    })
  })

  test('reports an address without a listener with a fix and the exit code for unavailable', async () => {
    const venue = venueFile('http://127.0.0.1:9', 'a', 'b')
    const { code, verdicts } = await doctor('--venue', venue, '--state-dir', folder.file('state'))
    expect({ code, verdicts }).toEqual({
      code: 69,
      verdicts: { node: 'good', confinement: 'good', 'state folder': 'good', settings: 'good', venue: 'bad' },
    })
  })

  test('reports a missing venue file, and sends nothing', async () => {
    const { code, findings } = await doctor('--venue', folder.file('none.yaml'))
    expect(code).toBe(78)
    expect(findings.at(-1)).toMatchObject({
      about: 'settings',
      found: expect.stringContaining('no such file'),
    })
  })

  test('without a venue it checks a temporary exchange, and leaves no files', async () => {
    const state = folder.file('fresh')
    const { code, stdout } = await rungs(['doctor', '--state-dir', state], {
      RUNGS_URL: 'http://127.0.0.1:9',
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok +settings +a temporary embedded exchange/m)
    expect(stdout).toMatch(/^ok +capabilities +bulk, history, balance, flex, open_orders, cancel/m)
    expect(existsSync(state)).toBe(false)
  })
})

describe('verdicts', () => {
  test.each([
    [1_000_000, 1_000_000, 'strict', 'good'],
    [1_009_000, 1_000_000, 'strict', 'note'],
    [991_000, 1_000_000, 'strict', 'note'],
    [1_004_000, 1_000_000, 'window', 'bad'],
    [1_004_000, 1_000_000, 'strict', 'good'],
  ] as const)(
    'a clock that says %d where the venue says %d, by %s nonces, is %s',
    (ours, theirs, mode, verdict) => {
      expect(clockFinding(ours, theirs, mode, 100).verdict).toBe(verdict)
    },
  )

  test('the folder: whether it is writable, and its free space', () => {
    const there = { path: 'state', isThere: true, isFolder: true, writable: true, freeBytes: 2 ** 34 }
    expect(folderFinding(there)).toMatchObject({ verdict: 'good', found: 'state; 16.0 GiB are free' })
    expect(folderFinding({ ...there, isFolder: false }).found).toBe('state is not a folder')
    expect(folderFinding({ ...there, writable: false }).do).toContain('--state-dir')
    expect(folderFinding({ ...there, freeBytes: 2 ** 20 }).do).toContain('Free some space')
  })

  test('an old Node and a key with too many permissions have a fix', () => {
    expect(nodeFinding('20.11.0')).toMatchObject({ verdict: 'bad', do: 'Install Node 24 or newer' })
    const may = permissionFinding({ kind: 'answer', value: {} }, false)
    expect(may).toMatchObject({ verdict: 'note', do: expect.stringContaining('read and trade') })
  })
})

test('an undeclared capability is unknown, not missing', () => {
  const { found, means } = capabilityFinding(['bulk', 'history'], ['flex'])
  expect(found).toBe('bulk, history, flex (unknown)')
  const [refused = '', asked = ''] = means.split('. ')
  expect(refused).toMatch(/^strategies that need .*cancel.* are refused at this venue$/)
  expect(refused).not.toContain('flex')
  expect(asked).toContain('The venue has not yet reported flex')
})

test('several mistakes of a venue file are printed line by line', async () => {
  const path = folder.file('mistakes.yaml')
  writeFileSync(path, 'url: http://127.0.0.1:8787\nspeling: spec\nnoce: strict\n')
  const { code, stdout } = await rungsHere(['doctor', '--venue', path, '--state-dir', folder.file('none')])
  expect(code).toBe(78)
  expect(stdout).not.toContain(String.raw`\u000a`)
  const mistakes = stdout.split('\n').filter((line) => line.trimStart().startsWith(`${path}:`))
  expect(mistakes.length).toBe(2)
})

test('a refused nonce is reported as a refused nonce, not as a wrong key', () => {
  const refused = {
    kind: 'refused',
    status: 429,
    code: 0,
    message: 'Too many requests.',
    errors: {},
  } as const
  const nonce = keyFinding('0123456789abcdef', { ...refused, throttle: 'nonce' })
  expect(nonce).toMatchObject({ verdict: 'bad', found: expect.stringContaining('refused the nonce') })
  expect(nonce.do).toMatch(/clock .* no other program/)
  expect(keyFinding('0123456789abcdef', refused).do).toMatch(/Check key and secret/)
})
