import { readFileSync, writeFileSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readTape } from '#src/research/recording/read-tape.ts'
import { isType, runUntil } from '#test/runtime/support/bot-process.ts'
import { closeMaker } from '#test/runtime/support/close-maker.ts'
import { rungs, startExchange, temporaryFolder } from '#test/cli/support/process.ts'

const strategy = 'strategies/05-market-making.yaml'

test('the tape of a run has calls and streams, but no key, secret, signature, nonce or token', async () => {
  using folder = temporaryFolder()
  await using exchange = await startExchange([
    '--market',
    'seeded',
    '--seed',
    'tape',
    '--speed',
    '20',
    '--profile',
    'full',
  ])
  writeFileSync(
    folder.file('venue.yaml'),
    `url: ${exchange.url}\nkey: paper-key\nsecret: paper-secret\nsettle: 0s\n`,
  )
  const words = ['--venue', folder.file('venue.yaml'), '--speed', '20', '--state-dir', folder.file('state')]
  const path = folder.file('a.tape')
  const [connected, placed] = [isType('stream-connected'), isType('order-accepted')]
  const ended = await runUntil(
    [closeMaker(folder), ...words, '--record', path],
    connected,
    placed,
    isType('fill'),
  )
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  const tape = readTape(path)
  expect(tape.notes).toEqual([])
  expect(tape.begin).toMatchObject({ venue: exchange.url, speed: 20, strategies: [{ name: 'mm2s' }] })
  const kinds = new Set<string>(tape.events.map(({ kind }) => kind))
  expect(['call', 'stream-opened', 'stream-frame', 'turn'].filter((kind) => !kinds.has(kind))).toEqual([])
  const text = zstdDecompressSync(readFileSync(path)).toString()
  expect(text).toContain('"path":"/api/v4/order/collateral/bulk"')
  expect(text).toContain('"websocket_token":"[bearer]"')
  expect(text).toMatch(/"method":"authorize","params":\["\[bearer\]"\]/)
  const said = /paper-key|paper-secret|x-txc|"(?:nonce|signature|payload)":"?[\w+/=]*\d|[\da-f]{128}/i
  expect(said.exec(text)?.[0]).toBeUndefined()
})

test('without a tape a run is refused, unless it may have open orders: then it is reported once', async () => {
  using folder = temporaryFolder()
  const path = folder.file('a.tape')
  writeFileSync(path, '')
  const run = [
    'run',
    strategy,
    '--for',
    '1s',
    '--json',
    '--state-dir',
    folder.file('state'),
    '--record',
    path,
  ]
  const refused = await rungs(run)
  expect(refused.code).toBe(78)
  expect(refused.stderr).toMatch(/^TAPE_NOT_WRITTEN: .* exists\n/)
  await using exchange = await startExchange(['--profile', 'full', '--market', 'seeded'])
  const venue = folder.file('venue.yaml')
  writeFileSync(venue, `url: ${exchange.url}\nkey: paper-key\nsecret: paper-secret\n`)
  const live = run.map((word) => (word === folder.file('state') ? folder.file('other') : word))
  const { code, stdout } = await rungs([...live, '--live', '--venue', venue])
  expect(code).toBe(0)
  expect(stdout.match(/TAPE_NOT_WRITTEN/g)).toHaveLength(1)
  expect(stdout).toContain('"type":"summary"')
})
