import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isType, startBot, type StartedBot } from '#test/runtime/support/bot-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { openPage, startBrowser, type WatchedPage } from './browser.ts'
import { axeSource, rowsOf, told } from './dashboard.ts'
import { pictured, pixelsOf } from './picture.ts'

const folder = temporaryFolder()
let browser: Browser
let bot: StartedBot
let watched: WatchedPage

beforeAll(async () => {
  const starting = startBrowser()
  const state = folder.file('state')
  bot = startBot(['strategies/06-mean-reversion.yaml', '--speed', '5', '--state-dir', state])
  await bot.said(isType('dashboard-ready'))
  const { url, token } = told(state)
  browser = await starting
  const link = `${url}/?strategy=mrev&bar=15m#${token}.${new URL(url).port}`
  watched = await openPage(browser, link, { width: 1600 })
  await watched.page.waitForSelector('html[data-drawn]')
})
afterAll(async () => {
  await browser.close()
  await bot[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Indicator and value, as the legend of the chart shows them. */
async function legend(): Promise<Record<string, number>> {
  const texts = await watched.page.locator('#curves span').allTextContents()
  return Object.fromEntries(
    texts.map((text) => {
      const [, name = text, value = ''] = /^(.*\)) (.*)$/.exec(text.replaceAll('\u202f', '')) ?? []
      return [name, Number(value)]
    }),
  )
}

test('the chart draws what the strategy reads, with the values that it decides on', async () => {
  const { page } = watched
  const titles = ['bb_lower(px, 20, 2)', 'sma(px, 20)', 'rsi(px, 14)', 'sma(d1, 50)', 'sma(d1, 200)']
  await expect.poll(async () => Object.keys(await legend()).sort()).toEqual([...titles].sort())
  const chart = page.locator('#candles')
  expect(await chart.getAttribute('data-curves')).toBe('5')
  // The bot goes on: chart and table meet between two candles.
  await expect
    .poll(async () => {
      const shown = await legend()
      const values = await rowsOf(page, 'values')
      return ['lower', 'basis'].map((name, index) => {
        const drawn = shown[titles[index] ?? ''] ?? Number.NaN
        return Math.abs(Number(values[name]?.[0]) / drawn - 1) < 1e-5
      })
    })
    .toEqual([true, true])
  const now = await legend()
  expect(now['rsi(px, 14)']).toBeGreaterThan(0)
  expect(now['rsi(px, 14)']).toBeLessThan(100)
  // A candle of a day counts in a chart of quarters of an hour.
  expect(now['sma(d1, 50)']).toBeGreaterThan(0)
  for (const index of [1, 2, 3]) expect(await pixelsOf(page, `curve-${index}`)).toBeGreaterThan(20)
})

test('another interval keeps the curves; without the checkbox or the strategy there are none', async () => {
  const { page } = watched
  await page.selectOption('#bar', '1h')
  await expect.poll(async () => (await legend())['rsi(px, 14)']).toBeGreaterThan(0)
  await page.selectOption('#bar', '15m')
  await page.uncheck('#show-curves')
  await expect.poll(() => page.locator('#candles').getAttribute('data-curves')).toBe('0')
  expect(await legend()).toEqual({})
  await page.check('#show-curves')
  await page.selectOption('#strategy', '')
  await expect.poll(() => page.locator('#curves span').count()).toBe(0)
  await page.selectOption('#strategy', 'mrev')
  await expect.poll(() => page.locator('#curves span').count()).toBe(5)
})

test('the page is accessible, and fits', async () => {
  const { page } = watched
  await page.evaluate(axeSource)
  for (const [width, colorScheme] of [
    [390, 'dark'],
    [1600, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const found = await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))',
    )
    expect(found, `${width} ${colorScheme}`).toEqual([])
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  }
  await pictured(page, 'indicators-1600-light')
  // The browser warns about the way in which this test counts pixels.
  expect(watched.complaints.filter((text) => !text.startsWith('Canvas2D: '))).toEqual([])
})
