import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isType, startBot, type StartedBot } from '#test/runtime/support/bot-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { openPage, startBrowser, type WatchedPage } from './browser.ts'
import { agreed, axeSource, rowsOf, told } from './dashboard.ts'
import { pictured, pixelsOf } from './picture.ts'

const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>'

const folder = temporaryFolder()
const [grid, maker] = [folder.file('grid.yaml'), folder.file('maker.yaml')]
const withoutTests = (name: string) =>
  readFileSync(`strategies/${name}.yaml`, 'utf8').replace(/^tests:[^]*/m, '')
let browser: Browser
let bot: StartedBot
let watched: WatchedPage
let page: Page
let link: string

beforeAll(async () => {
  writeFileSync(grid, withoutTests('01-static-grid'))
  // Near the price and in the market of the grid, so that its chart shows a fill within seconds.
  const near = withoutTests('05-market-making').replaceAll('first: 0.07%', 'first: 0.02%')
  writeFileSync(maker, near.replace('symbol: BTC_PERP', 'symbol: BTC_USDT'))
  const starting = startBrowser()
  await startedBot()
  browser = await starting
  watched = await openPage(browser, link, { width: 1600 })
  page = watched.page
  await page.waitForSelector('html[data-drawn]')
})
afterAll(async () => {
  await browser.close()
  await bot[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function startedBot(): Promise<void> {
  // Slower than usual: on a busy machine the feed would always be stale.
  bot = startBot([grid, maker, '--speed', '8', '--state-dir', folder.file('state')])
  await bot.said(isType('dashboard-ready'))
  const { url, token } = told(folder.file('state'))
  link = `${url}/#${token}.${new URL(url).port}`
}

test('every panel shows the status of the bot', async () => {
  await bot.said(isType('fill'))
  await agreed(page)
  expect(await page.locator('#money').textContent()).toBe('paper')
  await expect.poll(() => page.locator('#state').textContent()).toBe('running')
  await expect.poll(() => page.locator('#line').textContent()).toBe('connected')
  await expect.poll(() => page.locator('#about').textContent()).toMatch(/account read \d+ s ago/)
  for (const id of ['orders', 'holdings', 'rules', 'markets', 'lanes', 'feeds', 'log'])
    await expect.poll(async () => Object.keys(await rowsOf(page, id)), { message: id }).not.toEqual([])
  // On a busy machine the feed is sometimes stale and the rule unknown.
  await expect
    .poll(async () => (await rowsOf(page, 'rules'))['sgrid.place'])
    .toEqual([
      'true',
      expect.stringMatching(/^between\(price, 55000, 65000\) = true; price [\d.]+$/),
      expect.stringMatching(/^\d\d:\d\d:\d\d$/),
    ])
})

test('the charts draw candles, rungs, fills, equity and drawdown in the colours of the page', async () => {
  const chart = page.locator('#candles')
  await expect.poll(async () => Number(await chart.getAttribute('data-lines'))).toBeGreaterThan(8)
  await expect.poll(async () => Number(await chart.getAttribute('data-fills'))).toBeGreaterThan(0)
  await expect
    .poll(async () => Number(await page.locator('#worth').getAttribute('data-points')))
    .toBeGreaterThan(2)
  await expect
    .poll(async () => (await pixelsOf(page, 'candle-up')) + (await pixelsOf(page, 'candle-down')))
    .toBeGreaterThan(20)
  await expect.poll(() => pixelsOf(page, 'accent')).toBeGreaterThan(20)
  expect(await page.locator('#legend').textContent()).toMatch(/open [\d.]+high [\d.]+low [\d.]+close [\d.]+/)
  await page.uncheck('#show-rungs')
  await page.uncheck('#show-fills')
  expect([await chart.getAttribute('data-lines'), await chart.getAttribute('data-fills')]).toEqual(['0', '0'])
  await page.check('#show-rungs')
  await page.check('#show-fills')
})

test('a rung opens its reasons by mouse and by key, and gets the focus back', async () => {
  const rung = page.locator('#rungs .rows button', { hasText: 'sgrid.grid' }).first()
  const name = await rung.textContent()
  await rung.focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  const dialog = page.locator('#why')
  await expect.poll(() => dialog.textContent()).toContain('Latest decision')
  const text = (await dialog.textContent()) ?? ''
  expect(text).toContain(name)
  expect(text).toMatch(/(?:buy|sell) [\d.]+ at/)
  expect(text).toMatch(/% (?:above|below) the anchor/)
  // On a busy machine the feed may be stale by then.
  expect(text).toMatch(/Rule place is (?:true|unknown).*between\(price, 55000, 65000\)/s)
  expect(text).toContain(`rungs why ${name ?? ''}`)
  await page.keyboard.press('Escape')
  expect(await page.evaluate('document.activeElement.textContent')).toBe(name)
})

test('the selectors filter the page, and the address keeps the selection', async () => {
  await page.selectOption('#strategy', 'sgrid')
  await expect
    .poll(async () => Object.keys(await rowsOf(page, 'rungs')).every((name) => name.startsWith('sgrid.')))
    .toBe(true)
  expect(Object.keys(await rowsOf(page, 'strategies'))).toEqual(['sgrid'])
  await page.reload()
  await page.waitForSelector('html[data-drawn]')
  expect(page.url()).toMatch(/\/\?strategy=sgrid$/)
  expect(await page.locator('#strategy').inputValue()).toBe('sgrid')
  await page.selectOption('#strategy', '')
  await expect.poll(() => page.locator('#strategies .rows tr').count()).toBe(2)
})

test('the log can be filtered by level, strategy and text', async () => {
  await page.fill('#log-text', 'ladder-laid')
  const events = page.locator('#log .rows .type')
  await expect.poll(() => events.count()).toBe(0)
  await page.selectOption('#log-level', 'debug')
  await expect.poll(async () => [...new Set(await events.allTextContents())]).toEqual(['ladder-laid'])
  await page.selectOption('#log-strategy', 'mm2s')
  await expect
    .poll(async () => [...new Set(await page.locator('#log .rows .name').allTextContents())].sort())
    .toEqual(['mm2s.asks BTC_USDT', 'mm2s.bids BTC_USDT'])
  await page.selectOption('#log-level', 'error')
  await expect.poll(() => events.count()).toBe(0)
  await page.fill('#log-text', '')
  await page.selectOption('#log-strategy', '')
  await page.selectOption('#log-level', 'info')
})

test.for([1600, 390])('at %i pixels it fits, and both themes are accessible', async (width) => {
  await page.setViewportSize({ width, height: width === 390 ? 1400 : 1000 })
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  const menu = page.locator('#jump')
  expect(await menu.isVisible()).toBe(width === 390)
  if (width === 390) {
    await menu.selectOption('trades-title')
    expect(await page.evaluate('document.activeElement.id')).toBe('trades-title')
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(200)
    expect(page.url()).not.toContain('#')
  }
  // Some lines of the log are as good as two hundred.
  await page.selectOption('#log-level', 'warn')
  await page.evaluate(axeSource)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const rules = colorScheme === 'light' ? '{}' : '{ runOnly: ["color-contrast"] }'
    const found = await page.evaluate(
      `axe.run(${rules}).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`,
    )
    expect(found, colorScheme).toEqual([])
    if (width === 1600 || colorScheme === 'dark') await pictured(page, `dashboard-${width}-${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.selectOption('#log-level', 'info')
})

test('stop and resume ask first, do it, and say so; whatever was written stays text', async () => {
  const confirm = (reason: string) => page.fill('#act-reason', reason).then(() => page.click('#act-do'))
  await page.setViewportSize({ width: 1600, height: 1000 })
  await page.click('#stop')
  await page.keyboard.press('Escape')
  await page.click('#stop')
  await confirm(hostile)
  await expect.poll(() => page.locator('#state').textContent()).toBe('stopped')
  expect(await page.locator('#attention').textContent()).toMatch(
    /Stopped<.*>\. No entry is placed.* Exits work\./,
  )
  await page.click('#resume')
  await confirm('seen')
  await expect.poll(() => page.locator('#state').textContent()).toBe('running')
  const strategies = page.locator('#strategies')
  await strategies.getByRole('button', { name: 'Pause sgrid' }).click()
  expect(await page.locator('#act-exits').isVisible()).toBe(false)
  await confirm('lunch')
  await strategies.getByRole('button', { name: 'Resume sgrid' }).click()
  await confirm('back')
  const cancel = page
    .locator('#orders')
    .getByRole('button', { name: /^Cancel sgrid\.grid\.b/ })
    .first()
  const [, order] = /^Cancel (.*)$/.exec((await cancel.getAttribute('aria-label')) ?? '') ?? []
  await cancel.click()
  await confirm('too near')
  await bot.said((line) => line.type === 'order-canceled' && line['order'] === order)
  await strategies.getByRole('button', { name: 'Halt sgrid' }).click()
  await page.fill('#act-reason', hostile)
  await page.check('#act-freeze')
  await page.click('#act-do')
  await expect.poll(() => page.locator('#attention').textContent()).toContain('sgrid is halted')
  expect(await page.locator('#attention').textContent()).toContain(`${hostile}. Exits are frozen, too.`)
  await strategies.getByRole('button', { name: 'Resume sgrid' }).click()
  await page.fill('#act-reason', 'seen')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('#attention').textContent()).not.toContain('sgrid is halted')
  await page.click('#stop')
  await page.fill('#act-reason', 'news')
  await page.check('#act-flatten')
  await page.click('#act-do')
  await bot.said((line) => line.type === 'flattened' && line['strategy'] === 'sgrid')
  await expect.poll(() => page.locator('#attention').textContent()).toContain('sgrid is halted')
  await page.click('#resume')
  await confirm('seen')
  await expect.poll(() => page.locator('#attention').textContent()).not.toContain('sgrid is halted')
})

test('what a strategy says stays text', async () => {
  const text = readFileSync(grid, 'utf8')
  writeFileSync(
    grid,
    text.replace(/- id: out[^]*?do: .*/, `- id: loud\n    when: price > 0\n    do: [alert: '${hostile}']`),
  )
  await bot.said((line) => line.type === 'alert' && line['message'] === hostile)
  await page.fill('#log-text', 'onerror')
  await expect
    .poll(() => page.locator('#log .rows .what').allTextContents())
    .toContainEqual(`rule loud · ${hostile}`)
  expect(await page.locator('img, script:not([src^="/page/"])').count()).toBe(0)
})

test('without the token it shows nothing, and says what is missing', async () => {
  const [bare = ''] = link.split('#')
  for (const url of [bare, `${bare}#wrong`]) {
    await using other = await openPage(browser, url, { width: 360 })
    await other.page.waitForSelector('#closed:not([hidden])')
    expect(await other.page.locator('#closed').textContent()).toContain('The token is wrong')
    expect(await other.page.locator('main').isVisible()).toBe(false)
    expect(await other.page.locator('#stop').isEnabled()).toBe(false)
  }
})

test('it sends its token to no other program at the address, and finds its bot again behind a tunnel', async () => {
  const { url, token } = told(folder.file('state'))
  const asked: { path: string; authorization: string | undefined }[] = []
  let isStranger = true
  // First another program with pages of its own, then a tunnel to the bot.
  const other = createServer((incoming, outgoing) => {
    const { headers, method } = incoming
    const path = incoming.url ?? ''
    const isOwn = isStranger && !/^\/(?:$|page\/)/.test(path)
    asked.push({ path, authorization: isStranger ? headers.authorization : undefined })
    if (isOwn) return void outgoing.end(JSON.stringify({ proof: 'f'.repeat(64) }))
    const { port } = new URL(url)
    const passed = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(passed.on('error', () => outgoing.destroy()))
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  await using opened = await openPage(browser, link.replace(url, `http://127.0.0.1:${port}`), { width: 1000 })
  const closed = opened.page.locator('#closed')
  await closed.waitFor()
  await expect.poll(() => closed.textContent()).toContain('did not prove that it knows the token')
  expect(asked.filter(({ path }) => path.startsWith('/proof?nonce='))).not.toEqual([])
  expect(asked.filter(({ authorization = '' }) => authorization.includes(token))).toEqual([])
  isStranger = false
  await closed.waitFor({ state: 'hidden' })
  other.closeAllConnections()
  other.close()
})

test('it says when the bot is silent, and when it has ended, and comes back with it, at the same address', async () => {
  const was = link
  const trades = await page.locator('#trades .rows tr').count()
  // What the browser says of those who count pixels is about this test.
  const complaints = watched.complaints.filter((text) => !text.startsWith('Canvas2D: '))
  const closed = page.locator('#closed')
  bot.kill('SIGSTOP')
  await closed.waitFor()
  bot.kill('SIGCONT')
  await closed.waitFor({ state: 'hidden' })
  bot.kill('SIGTERM')
  await closed.waitFor()
  expect(await closed.textContent()).toMatch(/does not answer[^]*This page reconnects/)
  expect(await page.locator('#stop').isEnabled()).toBe(false)
  await bot.ended
  await startedBot()
  expect(link).toBe(was)
  await closed.waitFor({ state: 'hidden' })
  // What was recorded before the restart is still there.
  await expect.poll(() => page.locator('#trades .rows tr').count()).toBeGreaterThanOrEqual(trades)
  const { pid } = told(folder.file('state'))
  await expect.poll(() => page.locator('#about').textContent()).toContain(`process ${pid}`)
  const { origin } = new URL(link)
  expect(watched.requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual(
    [],
  )
  // A browser says by itself that nobody was there; nothing was complained of before.
  expect(complaints).toEqual([])
})
