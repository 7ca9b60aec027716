import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { atWork, openDashboardOf } from '#test/operate/dashboard/dashboard-fixture.ts'
import { openPage, startBrowser, type WatchedPage } from './browser.ts'
import { axeSource } from './dashboard.ts'

let browser: Browser
let opened: Awaited<ReturnType<typeof openDashboardOf>>
let watched: WatchedPage

beforeAll(async () => {
  const starting = startBrowser()
  const harness = atWork('01-static-grid')
  for (const [rung, part] of [['b1'], ['b2'], ['b3'], ['mb1'], ['mb2'], ['mb3', 0.5]] as const) {
    harness.settle(harness.fill(`sgrid.grid.${rung}.1`, part))
    harness.settle(harness.wait(5000))
  }
  opened = await openDashboardOf(harness)
  browser = await starting
  const link = `${opened.url}/#${opened.token}.${new URL(opened.url).port}`
  watched = await openPage(browser, link, { width: 1600 })
  await watched.page.locator('#trades .rows tr').first().waitFor()
})
afterAll(async () => {
  await browser.close()
  await opened[Symbol.asyncDispose]()
})

const texts = (selector: string) => watched.page.locator(selector).allTextContents()

const prices = () => texts('#trades .rows td:nth-child(7)')

test('positions and trades have prices, profit, percentage and duration', async () => {
  const [position = ''] = await texts('#holdings .rows tr')
  expect(position).toMatch(/^sgridBTC_USDTlong0\.\d+5\d.\d{3}[\d.]*60.000/)
  expect(await texts('#trades .rows tr:nth-child(3) td')).toEqual([
    expect.stringMatching(/^2026-01-01 12:00:\d\d$/),
    'sgrid',
    'BTC_USDT',
    'grid b1',
    'long',
    expect.stringMatching(/^0\.\d+$/),
    '59\u202f500',
    '60\u202f000',
    expect.stringMatching(/^\+0\.\d\d$/),
    expect.stringMatching(/^\+0\.\d\d %$/),
    expect.any(String),
    '15 s',
    'mirror',
  ])
})

test('a click on a title or a key sorts, reverses, and restores the order', async () => {
  const { page } = watched
  const title = page.locator('#trades thead').getByRole('button', { name: 'Entry price' })
  const given = await prices()
  await title.focus()
  await page.keyboard.press('Enter')
  const sorted = page.locator('#trades th[aria-sort]')
  expect(await sorted.getAttribute('aria-sort')).toBe('descending')
  expect(await prices()).toEqual([...given].sort().reverse())
  await title.click()
  expect(await sorted.getAttribute('aria-sort')).toBe('ascending')
  expect(await prices()).toEqual([...given].sort())
  await title.click()
  expect(await sorted.count()).toBe(0)
  expect(await prices()).toEqual(given)
})

test('a filter searches all columns of a long table', async () => {
  const { page } = watched
  const filter = page.getByRole('searchbox', { name: 'Filter orders' })
  await filter.fill('exit')
  await expect.poll(() => texts('#orders .rows td:nth-child(1)')).toEqual(['sgrid.grid.mb3.1'])
  await filter.fill('no such order')
  await expect.poll(() => page.locator('#orders .rows tr').count()).toBe(0)
  await filter.fill('')
  await expect.poll(() => page.locator('#orders .rows tr').count()).toBeGreaterThan(5)
  expect(await page.locator('#trades-filter').isVisible()).toBe(false)
})

test('the button exports the trades as a file', async () => {
  const { page } = watched
  const [saved] = await Promise.all([page.waitForEvent('download'), page.click('#trades-csv')])
  expect(saved.suggestedFilename()).toBe('rungs-trades-2026-01-01.csv')
  const lines = readFileSync(await saved.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines[1]).toContain('sgrid,BTC_USDT,grid,b3,mb3,mirror,long,')
})

test('the chart of equity shows the account or a strategy, for a range', async () => {
  const { page } = watched
  const legend = page.locator('#worth-legend')
  await expect.poll(() => legend.textContent()).toContain('equity of the account 100\u202f000.00')
  await page.locator('#strategies').getByRole('button', { name: 'show sgrid' }).click()
  await expect.poll(() => legend.textContent()).toMatch(/^equity of sgrid 2.2\d\d\.\d\d \(0\.00\), drawdown/)
  for (const range of ['1h', '24h', '7d', 'all']) {
    await page.selectOption('#range', range)
    await expect.poll(() => page.locator('#worth').getAttribute('data-points')).toBe('1')
  }
})

test('a selected strategy shows its figures, its values, its file, and its levels in the chart', async () => {
  const { page } = watched
  await page.selectOption('#strategy', '')
  await expect.poll(() => page.locator('#one-strategy').isVisible()).toBe(false)
  await page.selectOption('#strategy', 'sgrid')
  await expect
    .poll(() => texts('#performance dd'))
    .toEqual(['3', '100.0 %', '–', expect.stringMatching(/^\+2\.\d\d$/)])
  expect(await texts('#days .rows td')).toEqual(['2026-01-01', '3', expect.stringMatching(/^\+2\.\d\d$/)])
  await expect.poll(() => texts('#values .rows td')).toEqual(['price', '60000'])
  await expect
    .poll(() => page.locator('#file').textContent())
    .toBe(opened.engine.engine.state.strategies['sgrid']?.text)
  expect(await texts('#file .yaml-key')).toContain('    anchor')
  expect(await texts('#file .yaml-comment')).toContain('# fixed: the grid does not follow the market')
  // The entry of the position and the mirror that is left.
  await expect.poll(() => page.locator('#candles').getAttribute('data-levels')).toBe('2')
})

test('on a phone all columns of a trade are in the page, and tables stay accessible', async () => {
  const { page } = watched
  await page.setViewportSize({ width: 390, height: 900 })
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  for (const id of ['strategies', 'holdings', 'trades']) {
    const isCut = `[...document.querySelectorAll('#${id} .rows td')].some((cell) =>
      cell.getBoundingClientRect().right > 390 || cell.getBoundingClientRect().width === 0)`
    await expect.poll(() => page.evaluate(isCut), { message: id }).toBe(false)
  }
  await page.evaluate(axeSource)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(
      await page.evaluate(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))',
      ),
    ).toEqual([])
  }
  // The venue of this engine is not there, so it has no candles.
  expect(watched.complaints.filter((text) => !text.includes('502'))).toEqual([])
  expect(opened.broken).toEqual([])
})
