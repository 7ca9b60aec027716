import { readdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { reportOutcome } from '#src/cli/api/outcome-text.ts'
import { notSent } from '#src/venues/whitebit/client/answers/outcome.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { exchangeHere } from '#test/cli/support/exchange-here.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

test('a write after an interrupted run waits for the rate limit, and says so', async () => {
  using state = temporaryFolder()
  await using exchange = await exchangeHere()
  const words = ['create-code', '--ticker', 'USDT', '--amount', '1', '--yes', '--json']
  const call = () => rungsHere(['api', ...words, '--url', exchange.url, '--state-dir', state.path])
  expect(await call()).toMatchObject({ code: 0, stderr: '' })
  const [file = ''] = readdirSync(state.path)
  // The file of a run that has just ended with Ctrl-C.
  writeFileSync(state.file(file), JSON.stringify({ ceiling: Date.now() + 900, recent: null }))
  const began = performance.now()
  const { code, stderr } = await call()
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/rate limit: this call waits \d+ s/),
  })
  expect(performance.now() - began).toBeGreaterThan(9000)
})

test('an unused rate limit is free, and a used one reports the time of its reset', async () => {
  using state = temporaryFolder()
  await using exchange = await exchangeHere(['--profile', 'full'])
  const call = (...words: string[]) =>
    rungsHere(['api', ...words, '--json', '--url', exchange.url, '--state-dir', state.path])
  for (let calls = 0; calls < 10; calls++) expect(await call('hedge-mode')).toMatchObject({ code: 0 })
  for (let calls = 0; calls < 10; calls++)
    expect(await call('stream-token', '--yes')).toMatchObject({ code: 0, stderr: '' })
  expect(await call('stream-token', '--yes')).toMatchObject({
    code: 75,
    stderr: expect.stringMatching(
      /earlier calls with this key .*websocket_token\nfix: Try again in \d\d s$/m,
    ),
  })
})

test.each(['late', 'queue-full', 'aborted'] as const)(
  'a call that was not sent because it was %s does not blame the venue, and may be repeated',
  (cause) => {
    const asked = {
      name: 'createCode',
      row: contract.createCode,
      url: 'http://127.0.0.1:1',
      asJson: false,
      body: undefined,
    } as const
    expect(() => reportOutcome(notSent(cause, 'Rate limit: the deadline passes'), asked)).toThrow(
      expect.objectContaining({ code: 'NOT_SENT_IN_TIME', exitCode: 75 }),
    )
  },
)
