import { expect, test } from 'vitest'
import { startExchange } from '#test/cli/support/process.ts'

test('SIGUSR1 opens no inspector, and the process continues', async () => {
  const exchange = await startExchange()
  exchange.signal('SIGUSR1')
  // The signal has arrived before the answers.
  for (let calls = 0; calls < 5; calls++) {
    const answer = await fetch(`${exchange.url}/api/v4/public/time`)
    await answer.arrayBuffer()
  }
  const { code, stderr } = await exchange.end()
  expect(stderr).not.toContain('ebugger')
  expect(code).toBe(0)
})
