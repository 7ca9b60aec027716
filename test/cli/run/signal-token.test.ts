import { chmodSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { signalTokenFrom } from '#src/cli/files/signal-token.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const token = 'a-token-of-a-chart-0042'

test('the token is a variable, which is taken out of the environment, or a file of its owner', () => {
  using folder = temporaryFolder()
  const environment: NodeJS.ProcessEnv = { RUNGS_SIGNAL_TOKEN: token }
  expect(signalTokenFrom(environment)).toBe(token)
  expect(environment).toEqual({})
  expect(signalTokenFrom({})).toBeUndefined()
  const path = folder.file('token')
  writeFileSync(path, `${token}\n`, { mode: 0o600 })
  expect(signalTokenFrom({ RUNGS_SIGNAL_TOKEN_FILE: path })).toBe(token)
  chmodSync(path, 0o644)
  expect(() => signalTokenFrom({ RUNGS_SIGNAL_TOKEN_FILE: path })).toThrow(
    expect.objectContaining({ code: 'SECRET_EXPOSED' }),
  )
})

test.each<[string, NodeJS.ProcessEnv]>([
  ['short', { RUNGS_SIGNAL_TOKEN: 'a-short-token' }],
  ['two words', { RUNGS_SIGNAL_TOKEN: 'a token of a chart of mine' }],
  ['given twice', { RUNGS_SIGNAL_TOKEN: token, RUNGS_SIGNAL_TOKEN_FILE: 'token' }],
])('a token that is %s is refused, and the error does not show it', (_, environment) => {
  let seen: unknown
  const { RUNGS_SIGNAL_TOKEN: secret = '' } = environment
  try {
    signalTokenFrom(environment)
  } catch (error) {
    seen = error
  }
  expect(seen).toMatchObject({ code: 'SETTING_INVALID', seen: expect.not.stringContaining(secret) })
})
