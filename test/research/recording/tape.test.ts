import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { deliveryOf, deliveryOnTape, requestOnTape } from '#src/research/recording/calls.ts'
import { readTape } from '#src/research/recording/read-tape.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { at, call, events, header, writer } from './tape-fixture.ts'

test('a tape is read back; it is compressed, private, and leaves no other file', async () => {
  using folder = temporaryFolder()
  const path = folder.file('a.tape')
  const { tape } = writer(path)
  for (const event of events) tape.write(event)
  expect(statSync(`${path}.partial`).mode & 0o777).toBe(0o600)
  await tape.close(at + 2000)
  expect(readTape(path)).toEqual({
    begin: header,
    events,
    notes: [],
    whole: true,
  })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(path).subarray(0, 4).toString('hex')).toBe('28b52ffd')
  expect(['partial', 'packing'].filter((kind) => existsSync(`${path}.${kind}`))).toEqual([])
})

test('a request is stored without headers and nonce, and an answer is restored unchanged', () => {
  const body = Buffer.from('{"market":"BTC_USDT","request":"/x","nonce":"17","nonceWindow":true}')
  const request = { method: 'POST', path: '/x', query: '', headers: { 'x-txc-apikey': 'k' }, body }
  expect(requestOnTape(request)).toEqual({
    method: 'POST',
    path: '/x',
    query: '',
    body: { market: 'BTC_USDT' },
  })
  expect(requestOnTape({ ...request, body: new Uint8Array() }).body).toBe(null)
  for (const text of ['{"a":1}', '{"a": 1.0}', 'null', '', '<html>', '{"__proto__":1}']) {
    const response = { status: 429, headers: { 'retry-after': '2' }, body: text }
    expect(deliveryOf(deliveryOnTape({ kind: 'answered', response }))).toEqual({ kind: 'answered', response })
  }
  const failed = { kind: 'not-sent', reason: 'No connection before the deadline' } as const
  expect(deliveryOf(deliveryOnTape(failed))).toEqual(failed)
})

test('tokens and codes become one word, also in texts, and error codes stay', async () => {
  using folder = temporaryFolder()
  const path = folder.file('a.tape')
  const { tape } = writer(path)
  tape.write(call({ status: 201, json: { websocket_token: 'token-1' } }))
  tape.write(
    call({ status: 201, text: '{ "code": "9f0cUSDT" }' }, { code: '9f0cUSDT', passphrase: 'Winter!7' }),
  )
  tape.write(call({ status: 422, json: { code: 30 } }))
  const frame = { kind: 'stream-frame', at, stream: 1, from: 'us' } as const
  tape.write({ ...frame, json: { id: 1, method: 'authorize', params: ['token-1', 'public'] } })
  await tape.close(at)
  expect(readTape(path).events).toEqual([
    call({ status: 201, json: { websocket_token: '[bearer]' } }),
    call({ status: 201, text: '{"code":"[bearer]"}' }, { code: '[bearer]', passphrase: '[bearer]' }),
    call({ status: 422, json: { code: 30 } }),
    { ...frame, json: { id: 1, method: 'authorize', params: ['[bearer]'] } },
  ])
})

test('a tape with a secret does not get its name, and the line is reported', async () => {
  using folder = temporaryFolder()
  const path = folder.file('a.tape')
  const { tape } = writer(path, [new Secret('another-secret'), new Secret('canary/of=the+secret')])
  // Unicode line separators do not end a line.
  tape.write(call({ status: 200, text: 'a\u2028b\rc\u2029' }))
  tape.write(call({ status: 200, json: { said: Buffer.from('x canary/of=the+secret').toString('base64') } }))
  await expect(tape.close(at)).rejects.toMatchObject({ code: 'TAPE_HOLDS_SECRET', seen: `${path}.partial:3` })
  expect([existsSync(path), existsSync(`${path}.packing`)]).toEqual([false, false])
})

test('a truncated tape is read up to its end, and another format is refused in one line', async () => {
  using folder = temporaryFolder()
  const path = folder.file('a.tape')
  const { tape } = writer(path)
  for (const event of events) tape.write(event)
  await new Promise((resolve) => setImmediate(resolve))
  const cut = `${path}.partial`
  expect(readTape(cut)).toMatchObject({
    events,
    notes: ['The tape was cut off after line 17; all lines before are read'],
  })
  const bytes = readFileSync(cut)
  await tape.close(at)
  writeFileSync(cut, bytes.subarray(0, -5))
  expect(readTape(cut)).toMatchObject({
    events: events.slice(0, -1),
    notes: ['The tape was cut off in the middle of line 17; all lines before are read'],
  })
  writeFileSync(cut, bytes.toString().replace('BTC_USDT', 'ETH_USDT'))
  expect(() => readTape(cut)).toThrow(`${cut}:2: the hash chain is broken`)
  writeFileSync(cut, '{"kind":"tape","version":7,"rungs":"9.0.0","more":1}\n{}\n')
  expect(() => readTape(cut)).toThrow(`rungs 9.0.0 wrote ${cut} in format 7, and this version reads format 1`)
})

function refusalOf(path: string): string {
  try {
    writer(path)
  } catch (error) {
    if (error instanceof BotError && error.code === 'TAPE_NOT_WRITTEN') return error.seen
  }
  return 'no refusal'
}

test('each error at the creation of a tape has its message', () => {
  using folder = temporaryFolder()
  const path = folder.file('a.tape')
  writeFileSync(path, '')
  expect(refusalOf(path)).toBe(`${path} exists`)
  const homeless = join(folder.file('none'), 'a.tape')
  expect(refusalOf(homeless)).toBe(`${homeless}.partial has no folder`)
  const second = folder.file('b.tape')
  writeFileSync(`${second}.partial`, '')
  expect(refusalOf(second)).toBe(`${second}.partial exists: another run writes it, or was killed`)
})

test('a tape that cannot get its name is kept, and its place is reported', async () => {
  using folder = temporaryFolder()
  const taken = folder.file('a.tape')
  const first = writer(taken)
  // A leftover of a process that was killed during compression.
  writeFileSync(`${taken}.packing`, 'half a frame')
  writeFileSync(taken, 'of somebody else')
  await expect(first.tape.close(at)).rejects.toMatchObject({
    code: 'TAPE_NOT_WRITTEN',
    seen: `${taken} exists; all lines are in ${taken}.partial`,
  })
  expect(readFileSync(taken, 'utf8')).toBe('of somebody else')
  expect(readTape(`${taken}.partial`)).toMatchObject({ begin: header, notes: [] })
  const blocked = folder.file('b.tape')
  const second = writer(blocked)
  mkdirSync(`${blocked}.packing`)
  await expect(second.tape.close(at)).rejects.toMatchObject({
    code: 'TAPE_NOT_WRITTEN',
    seen: expect.stringMatching(/b\.tape failed \(\w+\); all lines are in .*b\.tape\.partial$/),
  })
})

test('a deeply nested answer ends the tape, but not the bot', async () => {
  using folder = temporaryFolder()
  const path = folder.file('a.tape')
  const { tape, troubles } = writer(path)
  tape.write(call({ status: 200, json: 'before' }))
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const response = { status: 200, headers: {}, body: deep }
  tape.write(call(deliveryOnTape({ kind: 'answered', response })))
  tape.write(call({ status: 200, json: 'after' }))
  expect(troubles.map(({ code }) => code)).toEqual(['TAPE_NOT_WRITTEN'])
  await expect(tape.close(at)).rejects.toThrow('deeply nested')
  expect(troubles).toHaveLength(1)
  expect(readTape(`${path}.partial`).events).toEqual([call({ status: 200, json: 'before' })])
})
