import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepPage } from '#src/research/sweep/sweep-page.ts'
import { agreementOf, warningsOf, rankOf } from '#src/research/sweep/ranking.ts'
import { choicesOf } from '#src/research/sweep/plan.ts'
import type { SweepResult } from '#src/research/sweep/sweep.ts'
import { readVariation } from '#src/research/sweep/variation.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { won } from '#test/research/sweep/outcomes.ts'
import { openPage, startBrowser } from './browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

const hostile = '<img src=x onerror=alert(1)>'
const variations = [
  'ladder.grid.levels=10..50:10',
  'ladder.grid.size.total=500 quote,1000 quote,2000 quote',
].map(readVariation)
const choices = choicesOf(variations, { kind: 'grid', split: { learnShare: 0.7 } }) ?? []
const learned = choices.map((_, number) => won(String(number * 10 - 40)))
const proved = choices.map((_, number) => won(String(20 - number * 3)))
const result: SweepResult = {
  variations,
  by: ['profit'],
  folds: [
    {
      learn: { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 20) },
      prove: { from: Date.UTC(2026, 0, 20), to: Date.UTC(2026, 0, 28) },
      rows: rankOf(learned, ['profit']).map((number) => ({
        choice: choices[number] ?? [],
        learned: learned[number] ?? { refused: hostile },
        proved: proved[number] ?? { refused: hostile },
      })),
      agreement: agreementOf(learned, proved, 'profit'),
      doubts: warningsOf(learned, proved, 'profit'),
      luck: { probability: 0.031, variants: 15, independent: 3.24, sharpe: 0.3, expected: 0.1 },
      monteCarlo: undefined,
    },
  ],
}

test('the page of several measures shows the variants of the Pareto front', async () => {
  using folder = temporaryFolder()
  const path = folder.file('front.html')
  const folds = result.folds.map((fold) => ({
    ...fold,
    rows: fold.rows.map((row, place) => Object.assign({}, row, { isOnFront: place < 3 })),
  }))
  const map = ['a=1..100:1', 'b=1..3:1'].map(readVariation)
  writeFileSync(path, await sweepPage('front', { variations: map, by: ['profit', 'drawdown'], folds }))
  await using watched = await openPage(browser, pathToFileURL(path).href, {
    width: 800,
    colorScheme: 'light',
  })
  const { page, complaints } = watched
  expect(complaints).toEqual([])
  expect(await page.locator('figure').count()).toBe(3)
  expect(await page.locator('figure').first().locator('circle').count()).toBe(15)
  expect(await page.locator('circle.front').count()).toBe(3)
  expect(await page.locator('td', { hasText: /^yes$/ }).count()).toBe(3)
  // A parameter with many values has a row for neighbouring ones.
  expect(await page.locator('figure').nth(1).locator('rect').count()).toBe(48)
  expect(await page.locator('figure').nth(1).textContent()).toContain('7 to 12')
})

test.for([
  [360, 'light'],
  [1600, 'dark'],
] as const)(
  'the page of a sweep at %i pixels, %s: two maps, all variants, no request, and every text is text',
  async ([width, colorScheme]) => {
    using folder = temporaryFolder()
    const path = folder.file('sweep.html')
    writeFileSync(path, await sweepPage(`grid ${hostile}`, result))
    await using watched = await openPage(browser, pathToFileURL(path).href, { width, colorScheme })
    const { page, requests, complaints } = watched
    expect({ requests, complaints }).toEqual({ requests: [], complaints: [] })
    expect(await page.textContent('h1')).toBe(`grid ${hostile}`)
    expect(await page.locator('figure').count()).toBe(2)
    expect(await page.locator('figure').first().locator('rect').count()).toBe(15)
    const fills = await page.evaluate(
      '[...document.querySelector("figure").querySelectorAll("rect")].map((each) => getComputedStyle(each).fill)',
    )
    expect(new Set(Array.isArray(fills) ? fills : []).size).toBe(15)
    expect(await page.locator('tbody tr').count()).toBe(15)
    expect(await page.locator('tbody tr').first().locator('td').allTextContents()).toEqual([
      '1',
      '50',
      '2000 quote',
      '100.00',
      '-22.00',
      '10.00',
      '10.00',
      '100',
      '100',
    ])
    expect(await page.locator('.doubt').allTextContents()).toEqual([
      'The best variant gained 100.00 in-sample and -22.00 out-of-sample.',
      expect.stringContaining('correlate by only -1.00'),
    ])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  },
)
