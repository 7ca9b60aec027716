import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { serveBytes } from '#test/venues/whitebit/client/scripted-venue.ts'
import { openedDashboard } from './dashboard-fixture.ts'
import { pathsOutside } from './paths-outside.ts'

const json = { 'content-type': 'application/json' }

describe('the listener of the dashboard', () => {
  let opened: Awaited<ReturnType<typeof openedDashboard>>
  beforeAll(async () => {
    opened = await openedDashboard()
  })
  afterAll(() => opened[Symbol.asyncDispose]())

  test('serves the page on this machine, with a strict content policy', async () => {
    const { status, headers, text } = await opened.ask('/', { headers: { authorization: undefined } })
    expect({ status, text }).toEqual({ status: 200, text: expect.stringMatching(/^<!doctype html>/) })
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    const policy = String(headers['content-security-policy']).split('; ')
    // Without cookies no other page can use the rights of a user.
    expect(headers).not.toHaveProperty('set-cookie')
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"])
      expect(policy).toContain(part)
    const library = await opened.ask('/page/lightweight-charts.js', { headers: { authorization: undefined } })
    expect(library).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/javascript; charset=utf-8' },
    })
  })

  test.each(['/status', '/events', '/why?what=sgrid.grid.b1', '/candles?market=BTC_USDT&bar=1m', '/nothing'])(
    'requires the complete token for %s',
    async (path) => {
      const wrong = opened.token.replace(/./, (first) => (first === 'A' ? 'B' : 'A'))
      for (const authorization of [
        undefined,
        '',
        'Bearer',
        `Bearer ${wrong}`,
        `Bearer ${opened.token}A`,
        opened.token,
      ]) {
        const answer = await opened.ask(path, { headers: { authorization } })
        expect(answer, authorization).toMatchObject({
          status: 401,
          text: '{"error":"the token is wrong"}',
        })
      }
    },
  )

  test('requires the token for commands', async () => {
    const body = JSON.stringify({ reason: 'none' })
    const headers = { authorization: undefined, 'content-length': String(body.length) }
    expect(await opened.ask('/stop', { method: 'POST', headers, body })).toMatchObject({ status: 401 })
    expect(opened.engine.engine.state.stopped).toBeNull()
  })

  test('refuses other host names and other origins', async () => {
    const { port } = new URL(opened.url)
    for (const host of [
      'rungs.example',
      'rungs.example:80',
      `127.0.0.1.rungs.example:${port}`,
      '127.0.0.1',
      `[::1]:${port}`,
    ])
      for (const path of ['/', '/status'])
        expect(await opened.ask(path, { headers: { host } }), host).toMatchObject({ status: 403 })
    for (const origin of [
      'http://rungs.example',
      'http://127.0.0.1:1',
      `https://127.0.0.1:${port}`,
      'null',
      'file://',
    ])
      expect(await opened.ask('/status', { headers: { origin } }), origin).toMatchObject({ status: 403 })
    // An image or a script of another page sends no origin.
    for (const mode of ['no-cors', 'cors', undefined]) {
      const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode }
      expect(await opened.ask('/page/page.js', { headers }), mode).toMatchObject({ status: 403 })
    }
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect(await opened.ask('/', { headers: link })).toMatchObject({ status: 200 })
    // A tunnel to another machine has a different port.
    expect(await opened.ask('/status', { headers: { host: 'localhost:9000' } })).toMatchObject({
      status: 200,
    })
    expect(await opened.ask('/status', { headers: { origin: opened.url } })).toMatchObject({ status: 200 })
  })

  test('has a file beside the folder of its page, for the paths of the next test', () => {
    expect(existsSync('src/operate/dashboard/dashboard.ts')).toBe(true)
  })

  test.each(pathsOutside)('serves no file for %s', async (path) => {
    expect(await opened.ask(path)).toMatchObject({ status: 404, text: '{"error":"not found"}' })
  })

  test('refuses an invalid or incomplete command', async () => {
    const post = (path: string, body: string, more: Record<string, string | undefined> = {}) =>
      opened.ask(path, {
        method: 'POST',
        body,
        headers: { ...json, 'content-length': String(Buffer.byteLength(body)), ...more },
      })
    const long = JSON.stringify({ reason: 'x'.repeat(5000) })
    expect(await post('/stop', long)).toMatchObject({ status: 413 })
    const chunked = await opened.ask('/stop', {
      method: 'POST',
      body: '{"reason":"of no known length"}',
      headers: { ...json, 'transfer-encoding': 'chunked' },
    })
    // Like a form of another page.
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json, text/plain',
      undefined,
    ])
      expect(await post('/stop', '{"reason":"a form"}', { 'content-type': type }), type).toMatchObject({
        status: 415,
      })
    expect(chunked).toMatchObject({ status: 413 })
    for (const body of ['', '{', 'null', '[]', '{"reason":""}', '{"reason":"a","more":1}', '{"reason":1}'])
      expect(await post('/stop', body), body).toMatchObject({ status: 400 })
    expect(await opened.ask('/stop')).toMatchObject({ status: 404 })
    for (const strategy of ['nobody', '__proto__', 'constructor'])
      expect(await post('/halt', JSON.stringify({ strategy, reason: 'a' })), strategy).toMatchObject({
        status: 404,
      })
    expect(opened.engine.engine.state.stopped).toBeNull()
    expect(await post('/stop', '{"reason":"lunch"}')).toMatchObject({ status: 200, text: '{}' })
    expect(opened.engine.engine.state.stopped).toBe('lunch')
    expect(await post('/resume', '{"strategy":null,"reason":"back"}')).toMatchObject({ status: 200 })
    expect(opened.engine.engine.state.stopped).toBeNull()
  })

  test('survives invalid and incomplete requests', async () => {
    const { port } = new URL(opened.url)
    const said = (text: string) =>
      new Promise<string>((resolve) => {
        let heard = ''
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
        socket.on('data', (part) => {
          heard += part.toString()
        })
        socket.on('close', () => resolve(heard)).on('error', () => {})
      })
    expect(await said('\u0016\u0003\u0001 this is no HTTP\r\n\r\n')).toContain('400 Bad Request')
    expect(await said(`GET / HTTP/1.1\r\nhost: ${'a'.repeat(20_000)}\r\n\r\n`)).toContain('431')
    expect(await opened.ask('/status')).toMatchObject({ status: 200 })
    expect(opened.broken).toEqual([])
  })

  test('refuses HEAD', async () => {
    for (const path of ['/', '/status', '/events'])
      expect(await opened.ask(path, { method: 'HEAD' }), path).toMatchObject({ status: 405, text: '' })
    expect(opened.dashboard.subscribers.isWatched).toBe(false)
  })

  test('reports what is wrong with a request for candles or reasons', async () => {
    const known = 'market=BTC_USDT&bar=1m'
    const others = ['market=BTC_USDT&bar=7m', 'market=__proto__&bar=1m', 'market=&bar=1m', '']
    for (const query of [...others, `${known}&strategy=other`, `${known}&strategy=__proto__`])
      expect(await opened.ask(`/candles?${query}`), query).toMatchObject({ status: 400 })
    expect(await opened.ask('/why?what=sgrid')).toMatchObject({ status: 400 })
    const { status, text } = await opened.ask(`/candles?${known}&strategy=sgrid`)
    expect({ status, ...JSON.parse(text) }).toEqual({ status: 502, error: expect.any(String) })
  })
})

describe('the files of the listener', () => {
  test('token and port are kept for the owner, so that an open page reconnects', async () => {
    using folder = temporaryFolder()
    const first = await openedDashboard({ folder })
    for (const name of ['token', 'port', 'control.json'])
      expect(statSync(folder.file(name)).mode & 0o777, name).toBe(0o600)
    expect(readFileSync(folder.file('token'), 'utf8')).toBe(`${first.token}\n`)
    await first.close()
    const next = await openedDashboard({ folder })
    expect([next.url, next.token]).toEqual([first.url, first.token])
    await next.close()
  })

  test('a token that is invalid or that others can read is replaced', async () => {
    using folder = temporaryFolder()
    const first = await openedDashboard({ folder })
    await first.close()
    chmodSync(folder.file('token'), 0o644)
    const second = await openedDashboard({ folder })
    expect(second.token).not.toBe(first.token)
    expect(statSync(folder.file('token')).mode & 0o777).toBe(0o600)
    await second.close()
    writeFileSync(folder.file('token'), 'short\n')
    const third = await openedDashboard({ folder })
    expect(third.token).toMatch(/^[\w-]{43}$/)
    await third.close()
  })

  test('a used port is replaced, but a requested one is an error', async () => {
    using folder = temporaryFolder()
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const address = other.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    writeFileSync(folder.file('port'), `${port}\n`, { mode: 0o600 })
    const token = 'a'.repeat(43)
    writeFileSync(folder.file('token'), `${token}\n`, { mode: 0o600 })
    const opened = await openedDashboard({ folder })
    expect(new URL(opened.url).port).not.toBe(String(port))
    // A page does not send its token without a proof, so the other program does not know it.
    expect(opened.token).toBe(token)
    expect(await opened.ask('/status')).toMatchObject({ status: 200 })
    await opened.close()
    await new Promise((resolve) => other.close(resolve))
    // The next start returns to the address of the open page.
    const next = await openedDashboard({ folder })
    expect([new URL(next.url).port, next.token]).toEqual([String(port), token])
    await next.close()
  })

  test('a requested port that is used ends the start, and drops the token, which a scraper may have sent', async () => {
    using folder = temporaryFolder()
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const address = other.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    writeFileSync(folder.file('token'), `${'a'.repeat(43)}\n`, { mode: 0o600 })
    await expect(openedDashboard({ folder, port })).rejects.toThrow(/127\.0\.0\.1:\d+ for the dashboard/)
    await new Promise((resolve) => other.close(resolve))
    const next = await openedDashboard({ folder, port })
    expect(next.token).not.toBe('a'.repeat(43))
    await next.close()
  })

  test('a request whose answer fails is reported, and affects no other', async () => {
    await using opened = await openedDashboard()
    // The library also logs it.
    const told = vi.spyOn(console, 'error').mockReturnValue()
    const faults = [breakAnswers('writeHead'), breakAnswers('end'), told]
    await expect(opened.ask('/status')).rejects.toThrow(/socket hang up/)
    for (const fault of faults) fault.mockRestore()
    expect(opened.broken).toMatchObject([{ message: expect.stringContaining('no ') }])
    expect(await opened.ask('/status')).toMatchObject({ status: 200 })
  })

  test('closing the dashboard does not wait for candles of a silent venue', async () => {
    const asked = Promise.withResolvers<void>()
    const silent = await serveBytes(() => asked.resolve())
    await using opened = await openedDashboard({ venueUrl: silent.url })
    const candles = opened.dashboard.chart('BTC_USDT', '1m', '')
    await asked.promise
    await opened.close()
    expect(await candles).toEqual({ failure: 'The request was aborted before the complete answer came' })
    await silent.close()
  })

  test('the listener closes if its files cannot be written', async () => {
    using folder = temporaryFolder()
    mkdirSync(folder.file('control.json'))
    await expect(openedDashboard({ folder })).rejects.toThrow(/control\.json/)
    const port = Number(readFileSync(folder.file('port'), 'utf8'))
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow(/fetch failed/)
  })
})

function breakAnswers(name: 'writeHead' | 'end') {
  return vi.spyOn(ServerResponse.prototype, name).mockImplementation(() => {
    throw new Error(`no ${name}`)
  })
}
