import { describe, expect, test } from 'vitest'
import { ManualClock } from '#src/core/time/clock.ts'
import { signalsPerSecond } from '#src/operate/dashboard/signals/signal-intake.ts'
import { begun, openDashboardOf } from '#test/operate/dashboard/dashboard-fixture.ts'

const signalToken = 'a-token-of-a-chart-0042'
const opened = (about: Parameters<typeof openDashboardOf>[1] = { signalToken }) =>
  openDashboardOf(begun('09-signal-entry'), about)
type Opened = Awaited<ReturnType<typeof opened>>

const valueIn = ({ engine }: Opened) => engine.engine.state.strategies['sigent']?.signals?.['trend']?.value
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const post = async (
  to: Opened,
  body: string,
  headers: Record<string, string | undefined> = bearer(signalToken),
) => {
  const { status, text } = await to.ask('/signal', { method: 'POST', body, headers })
  const read: { error?: string; set?: unknown } = JSON.parse(text)
  return { status, body: read }
}
const long = '{"name":"trend","value":"long"}'

describe('POST /signal', () => {
  test.each<[string, string, Record<string, string | undefined>]>([
    ['the token of signals', long, bearer(signalToken)],
    [
      'the token in the body',
      JSON.stringify({ ticker: 'BTCUSD', action: 'buy', token: signalToken }),
      { authorization: undefined },
    ],
    [
      'the token beside a name and a value',
      `{"name":"trend","value":"long","token":"${signalToken}"}`,
      { authorization: undefined },
    ],
    ['a text', 'trend long', { ...bearer(signalToken), 'content-type': 'text/plain; charset=utf-8' }],
  ])('sets the signal: %s', async (_, body, headers) => {
    await using to = await opened()
    expect(await post(to, body, headers)).toMatchObject({ status: 200 })
    expect(valueIn(to)).toBe('long')
    expect(JSON.stringify([to.engine.steps, to.said])).not.toContain(signalToken)
  })

  test('takes the token of the operator, also if none is set for signals', async () => {
    await using to = await opened({})
    expect(await post(to, long, {})).toEqual({
      status: 200,
      body: { set: [{ name: 'trend', value: 'long' }] },
    })
    const other = await post(to, long, bearer(signalToken))
    expect(other).toMatchObject({
      status: 401,
      body: { error: expect.stringContaining('set RUNGS_SIGNAL_TOKEN_FILE') },
    })
  })

  test.each<[string, string, Record<string, string | undefined>, number]>([
    ['no token', long, { authorization: undefined }, 401],
    ['another token', long, bearer('a-token-of-a-chart-0043'), 401],
    [
      'another token in the body',
      '{"name":"trend","value":"long","token":"x"}',
      { authorization: undefined },
      401,
    ],
    ['the origin of a page', long, { ...bearer(signalToken), origin: 'https://chart.example' }, 403],
    ['another host', long, { ...bearer(signalToken), host: 'chart.example:80' }, 403],
    ['a long body', `{"name":"trend","value":"${'x'.repeat(5000)}"}`, bearer(signalToken), 413],
    ['a value that is no state', '{"name":"trend","value":"up"}', bearer(signalToken), 422],
    ['an unknown name', '{"name":"trent","value":"long"}', bearer(signalToken), 422],
  ])('refuses %s', async (_, body, headers, status) => {
    await using to = await opened()
    const answer = await post(to, body, headers)
    expect(answer).toMatchObject({ status, body: { error: expect.any(String) } })
    expect(valueIn(to)).toBeUndefined()
  })

  test('logs what it refuses to a sender with the token, the same once a minute, and nothing of others', async () => {
    const clock = new ManualClock(0)
    await using to = await opened({ signalToken, clock })
    const bad = '{"name":"trend","value":"up"}'
    await post(to, bad, { authorization: undefined })
    for (let count = 0; count < 3; count++) await post(to, bad)
    const refused = {
      type: 'signal-refused',
      reason: 'POST /signal: "up" is no value of the signal trend of sigent; fix: use one of long, flat',
    }
    expect(to.said).toEqual([refused])
    clock.turnTo({ now: 60_000, monotonic: 60_000 })
    await post(to, bad)
    expect(to.said).toEqual([refused, refused])
  })

  test('takes so many in a second, and more in the next one', async () => {
    const clock = new ManualClock(0)
    await using to = await opened({ signalToken, clock })
    const statuses: (number | undefined)[] = []
    for (let count = 0; count <= signalsPerSecond; count++) statuses.push((await post(to, long)).status)
    expect(statuses).toEqual([...Array<number>(signalsPerSecond).fill(200), 429])
    // Others cannot use up the rate.
    clock.turnTo({ now: 1000, monotonic: 1000 })
    for (let count = 0; count <= signalsPerSecond; count++) await post(to, long, { authorization: undefined })
    expect((await post(to, long)).status).toBe(200)
  })

  test('the token of signals opens nothing else', async () => {
    await using to = await opened()
    for (const path of ['/status', '/metrics', '/events'])
      expect((await to.ask(path, { headers: bearer(signalToken) })).status, path).toBe(401)
    const body = '{"reason":"x"}'
    const headers = { ...bearer(signalToken), 'content-type': 'application/json' }
    expect((await to.ask('/stop', { method: 'POST', body, headers })).status).toBe(401)
  })
})
