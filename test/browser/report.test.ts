import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reportPage } from '#src/research/backtest/report/report-page.ts'
import { readResultLines } from '#src/research/backtest/result/result-file.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { hostileName, olderResult, sampleResult } from '#test/research/backtest/sample-result.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { isSlowRun } from '#test/properties/runs.ts'
import { openPage, startBrowser } from './browser.ts'
import { axeSource } from './dashboard.ts'
import { pictured, pixelsOf } from './picture.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

/** The report of a result as a file. */
async function opened(result: BacktestResult, look: Parameters<typeof openPage>[2]) {
  const folder = temporaryFolder()
  const path = folder.file('out.html')
  writeFileSync(path, await reportPage(result))
  const watched = await openPage(browser, pathToFileURL(path).href, look)
  folder[Symbol.dispose]()
  await watched.page.waitForSelector('html[data-drawn]')
  await frames(watched.page)
  return watched
}

/** A chart draws in the next frame. */
async function frames(page: Page): Promise<void> {
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
}

const valuesOf = (page: Page, selector: string): Promise<(string | null)[]> =>
  page.locator(`${selector} data`).evaluateAll((all) => all.map((each) => each.getAttribute('value')))

const { summary, rungs, held } = sampleResult

describe.each([
  [390, 'light'],
  [1600, 'dark'],
] as const)('the report at %i pixels, %s', (width, colorScheme) => {
  /** What does not depend on the width is read once in `npm run programs`. */
  const content = test.runIf(isSlowRun || width === 1600)

  test('makes no requests, has no errors, and fits', async () => {
    await using watched = await opened(sampleResult, { width, colorScheme })
    expect(watched.requests).toEqual([])
    expect(watched.complaints).toEqual([])
    expect(await watched.page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  })

  test('cuts no column, also of tables with many columns and of an open strategy file', async () => {
    await using watched = await opened(sampleResult, { width, colorScheme })
    const { page } = watched
    await page.click('#parameters + details summary')
    const cut = await page.evaluate(
      '[...document.querySelectorAll(".wide, section, pre")].filter((box) => box.scrollWidth > box.clientWidth).length',
    )
    expect(cut).toBe(0)
    expect(await page.locator('.wide').count()).toBeGreaterThan(4)
  })

  test('has no fault of accessibility', async () => {
    await using watched = await opened(sampleResult, { width, colorScheme })
    const { page } = watched
    await page.evaluate(axeSource)
    const found = await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))',
    )
    expect(found).toEqual([])
  })

  content('shows the measures, the months, the parameters and the strategy file', async () => {
    await using watched = await opened(sampleResult, { width, colorScheme })
    const { page } = watched
    const { buyAndHold, roundTrips, winRate, profitFactor, expectancy, cagr, calmar, ...days } = summary
    const { longestDrawdownMs, bestDay, worstDay } = days
    const yearly = [cagr, calmar, longestDrawdownMs, bestDay, worstDay]
    const trips = [buyAndHold, roundTrips, winRate, profitFactor, expectancy]
    expect(await valuesOf(page, '#measures')).toEqual([...trips, ...yearly].map(String))
    const marks = await page.locator('.mark').allTextContents()
    expect(marks).toEqual(Array.from({ length: 4 }, () => 'not meaningful: fewer than 30 days'))
    expect(await page.locator('#months tbody tr td:first-child').allTextContents()).toEqual(['2026-09'])
    const [month] = sampleResult.months ?? []
    expect(await valuesOf(page, '#months')).toEqual([month?.profit, String(month?.return)])
    const parameters = await page.locator('#parameters td.name').allTextContents()
    expect(parameters.slice(4)).toEqual(['maker -0.01%, taker 0.055%', 'through', '50 ms', '2', hostileName])
    const text = page.locator('#parameters + details pre')
    expect(await text.isVisible()).toBe(false)
    await page.click('#parameters + details summary')
    expect(await text.isVisible()).toBe(true)
    expect(await text.textContent()).toBe(sampleResult.strategies[0]?.text)
  })

  content('draws candles, fills, equity, drawdown and position in the colours of the scheme', async () => {
    await using watched = await opened(sampleResult, { width, colorScheme })
    const { page } = watched
    const names = ['candle-up', 'candle-down', 'buy', 'sell', 'gain', 'loss', 'accent', 'hold', 'panel']
    for (const name of names) expect(await pixelsOf(page, name), name).toBeGreaterThan(20)
    const rungless = await pixelsOf(page, 'panel')
    await page.uncheck('#show-fills')
    await page.uncheck('#show-rungs')
    await page.uncheck('#show-hold')
    await frames(page)
    for (const name of ['buy', 'sell', 'hold']) expect(await pixelsOf(page, name), name).toBe(0)
    expect(await pixelsOf(page, 'panel')).toBeGreaterThan(rungless + width)
  })

  content('shows the numbers of the JSON', async () => {
    await using watched = await opened(sampleResult, { width, colorScheme })
    const { page } = watched
    const { netProfit, endEquity, gridProfit, floating, maxDrawdown, ...more } = summary
    const { sharpe, sortino, exposure, fills, fees, funding } = more
    const sums = [netProfit, endEquity, gridProfit, floating, maxDrawdown, sharpe, sortino, exposure]
    expect(await valuesOf(page, '.sums')).toEqual([...sums, fills, fees, funding, 0].map(String))
    const shown = await page.locator('.sums data').allInnerTexts()
    expect(Number(shown[0]?.replaceAll('\u202f', ''))).toBeCloseTo(Number(netProfit), 2)
    expect(await valuesOf(page, '#rungs')).toEqual(rungs.flatMap(shownOf))
    expect(await valuesOf(page, '#pairs')).toEqual([gridProfit, floating])
    expect(await valuesOf(page, '#pair-sums')).toEqual([gridProfit, floating, funding, netProfit])
    const counts = rungs.map(({ id, side, orders, fills }) => [id, side, String(orders), String(fills)])
    const rows = await page
      .locator('#rungs tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)))
    expect(rows.map((cells) => [cells[0], cells[1], cells[3], cells[4]])).toEqual(counts)
    const [here] = held
    expect(await valuesOf(page, '#held')).toEqual([here?.amount, here?.entry, here?.mark, here?.unrealised])
    const closed = rungs.reduce((sum, { profit }) => sum.plus(profit), new Decimal(0)).toFixed()
    expect(await valuesOf(page, '#money')).toEqual([closed, here?.unrealised, `-${fees}`, funding, netProfit])
    const drawn: unknown = await page.evaluate("JSON.parse(document.getElementById('data').textContent)")
    expect(drawn).toMatchObject({
      close: sampleResult.candles.map(({ close }) => close),
      equity: sampleResult.equity.value,
      position: sampleResult.equity.position,
      hold: sampleResult.equity.hold,
    })
  })
})

/** The numbers of a row; empty for a rung without pairs. */
function shownOf({ price, amount, profit, fees, ...pairs }: (typeof rungs)[number]) {
  const { gridProfit = '0', open = '0', floating = '0' } = pairs
  return [price, amount, profit, fees, ...[gridProfit, open, floating].filter((text) => text !== '0')]
}

test('names stay text, and the policy blocks injected code', async () => {
  await using watched = await opened(sampleResult, { width: 1600 })
  const { page, complaints } = watched
  expect(await page.locator('h1').textContent()).toBe(hostileName)
  expect(await page.title()).toBe(`${hostileName} · backtest`)
  expect(await page.locator('img').count()).toBe(0)
  expect(complaints).toEqual([])
  const refused = await page.evaluate(`(async () => {
    const refused = []
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => refused.push(effectiveDirective))
    const script = document.createElement('script')
    script.textContent = 'globalThis.acted = true'
    document.body.append(script)
    new Image().src = 'https://example.com/'
    await fetch('https://example.com/').catch(() => {})
    while (refused.length < 3) await new Promise((done) => setTimeout(done, 10))
    return [globalThis.acted, ...refused.sort()]
  })()`)
  expect(refused).toEqual([undefined, 'connect-src', 'img-src', 'script-src-elem'])
})

test('the keyboard moves the charts', async () => {
  await using watched = await opened(sampleResult, { width: 1600 })
  const { page } = watched
  const picture = () => page.evaluate("document.querySelector('#chart canvas').toDataURL()")
  const pictures = [await picture()]
  await page.focus('#zoom-all')
  await page.keyboard.press('Tab')
  for (const key of ['+', 'ArrowLeft', '-', '0']) {
    await page.keyboard.press(key)
    await frames(page)
    pictures.push(await picture())
  }
  // Each move changes the picture, and the last one restores the first.
  expect(pictures.map((each) => pictures.indexOf(each))).toEqual([0, 1, 2, 3, 0])
})

test('the crosshair shows the values under it', async () => {
  await using watched = await opened(sampleResult, { width: 1600 })
  const { page } = watched
  expect(await page.locator('#legend').textContent()).toContain(
    `equity ${Number(summary.endEquity).toFixed(2)}`,
  )
  await page.locator('#chart').hover({ position: { x: 300, y: 100 } })
  await frames(page)
  const [, day = '', equity] =
    /^2026-09-0(\d) .*equity ([\d.]+)/.exec((await page.locator('#legend').textContent()) ?? '') ?? []
  expect(Number(day)).toBeLessThan(5)
  expect(sampleResult.equity.value.map((value) => value.toFixed(2))).toContain(equity)
})

test('rungs backtest writes a page of its result', async () => {
  using folder = temporaryFolder()
  const out = folder.file('week.html')
  const market = ['--market', 'config/markets/BTC_USDT.csv', '--to', '2026-01-06T12:00Z']
  const ended = await rungsHere([
    'backtest',
    'strategies/01-static-grid.yaml',
    ...market,
    '--json',
    '--report',
    out,
  ])
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  const printed = readResultLines('stdout', ended.stdout)
  await using watched = await openPage(browser, pathToFileURL(out).href, { width: 1600 })
  const { page, requests, complaints } = watched
  expect([requests, complaints]).toEqual([[], []])
  const { netProfit, endEquity, gridProfit, floating, maxDrawdown } = printed.summary
  expect(printed.summary.fills).toBeGreaterThan(10)
  expect((await valuesOf(page, '.sums')).slice(0, 5)).toEqual([
    netProfit,
    endEquity,
    gridProfit,
    floating,
    maxDrawdown,
  ])
  expect(await valuesOf(page, '#rungs')).toEqual(printed.rungs.flatMap(shownOf))
  expect(await pixelsOf(page, 'buy')).toBeGreaterThan(20)
  const said = await page.locator('#assumptions li').allInnerTexts()
  expect(said.slice(0, -1)).toEqual(printed.assumptions)
  await pictured(page, 'report-1600-light')
})

test('a result without fills and candles gives a page', async () => {
  const none = { at: [], value: [], position: [] }
  const still = { ...sampleResult, fills: [], rungs: [], rejected: [], candles: [], equity: none }
  await using watched = await opened(still, { width: 360 })
  expect(watched.complaints).toEqual([])
})

test('a result of an older version gives a page without measures', async () => {
  await using watched = await opened(olderResult, { width: 1600 })
  expect(watched.complaints).toEqual([])
  expect(await watched.page.locator('#measures, #months, #parameters, details pre[tabindex]').count()).toBe(0)
  expect(await watched.page.locator('.mark').count()).toBe(2)
})

test('a page with many fills stays below a mebibyte', async () => {
  const fills = Array.from({ length: 700 }, () => sampleResult.fills).flat()
  for (const [index, fill] of fills.entries())
    fills[index] = { ...fill, at: summary.from + index * 6000, price: String(index) }
  const page = await reportPage({ ...sampleResult, fills })
  expect(page.length).toBeLessThan(1_048_576)
})
