import { expect, test } from 'vitest'
import { answerText } from '#src/cli/api/answer-text.ts'
import { printableLines } from '#src/operate/terminal/printable.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'

test('balances are a table by ticker', () => {
  expect(answerText(contract.mainBalance.example.response)).toBe(
    ['      main_balance', 'BTC   2', 'USDT  100000'].join('\n'),
  )
})

test('a list of similar objects is a table, and seconds are a time', () => {
  expect(answerText(contract.accountHashrate.example.response)).toBe(
    [
      'data',
      '  account: paper-pool',
      '  hashrate',
      '    timestamp             hashrate',
      '    2026-09-21 14:13:20Z  42.1',
    ].join('\n'),
  )
})

test('objects that are too wide for a table are blocks with a line for each field', () => {
  const text = answerText(contract.orderHistory.example.response)
  expect(text).toMatch(/^BTC_PERP\n {2}id +1000000000001\n {2}client_order_id +dip\.low\.1\.1\n/)
  expect(text).toMatch(/\n {2}ctime +2026-09-21 14:13:20\.250Z\n/)
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(110)
})

test('an empty answer is stated, and an empty text is a dash', () => {
  expect(answerText({})).toBe('Nothing.')
  expect(answerText([])).toBe('Nothing.')
  expect(answerText({ memo: '', network: null })).toBe('memo: -\nnetwork: -')
})

test('a time outside of the date range stays a number', () => {
  expect(answerText({ timestamp: Number.MAX_SAFE_INTEGER })).toBe('timestamp: 9007199254740991')
})

test('text of a venue cannot control the terminal', () => {
  const hostile = '\u001b[2J\u0007\u202egnp.exe\r\n'
  expect(answerText({ message: hostile, [hostile]: 1, list: [{ [hostile]: hostile }] })).not.toMatch(
    // oxlint-disable-next-line eslint/no-control-regex -- these are what must not be there
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/,
  )
  expect(printableLines('a\u001b\nb')).toBe(String.raw`a\u001b` + '\nb')
})
