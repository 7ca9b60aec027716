import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Browser } from 'playwright-core'
import { openPage, startBrowser } from './browser.ts'
import type { Tables } from '#src/operate/dashboard/tables/tables.ts'
import { Crowd } from './crowd.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

const [updates, aSecond] = [100, 50]
/** The cells of 2000 rungs alone would be 14 000. */
const elementsMax = 4000

const watching = `(() => {
  window.seen = { frames: 0, long: [], elements: 0 }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.long.push(Math.round(duration))
  }).observe({ entryTypes: ['longtask'] })
  const look = () => {
    seen.frames += 1
    seen.elements = Math.max(seen.elements, document.querySelectorAll('*').length)
    requestAnimationFrame(look)
  }
  look()
})()`

/** The rungs in the page at each scroll position. */
const allRungs = `(async () => {
  const scroller = document.getElementById('rungs').parentElement
  const found = {}
  for (scroller.scrollTop = 0; ; scroller.scrollTop += 600) {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    for (const row of document.querySelectorAll('#rungs .rows tr')) {
      const [name, , , , amount, state, why] = [...row.cells].map((cell) => cell.textContent)
      found[name] = [amount, state, why]
    }
    if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1) return found
  }
})()`

test('the page stays small with 20 markets, 2000 rungs and 50 updates a second, and shows all of them', async () => {
  const crowd = new Crowd()
  await using watched = await openPage(browser, await crowd.open(), { width: 1600 })
  const { page, complaints } = watched
  await page.locator('#rungs .rows tr').first().waitFor()
  await page.evaluate(watching)
  await crowd.update(updates, aSecond)
  await expect.poll(() => page.locator('#figures dd').nth(1).textContent()).toBe(`+${updates}.00`)
  const { frames, long, elements } = await page.evaluate<{
    frames: number
    long: number[]
    elements: number
  }>('seen')
  const tasks = long.join(' ') || 'none'
  process.stdout.write(
    `${updates} updates in ${frames} frames, ${elements} elements; tasks of 50 ms and more: ${tasks}\n`,
  )
  expect(elements).toBeLessThan(elementsMax)
  expect(await page.evaluate(allRungs)).toEqual(
    Object.fromEntries(
      Object.entries(crowd.tables.rungs).map(([key, { amount, state, why }]) => [
        key,
        [amount, state === 'missing' ? 'no order' : state, why ?? ''],
      ]),
    ),
  )
  expect(await page.locator('#rungs').getAttribute('aria-rowcount')).toBe('2001')
  await page.evaluate(`document.getElementById('rungs').parentElement.scrollTop = 0`)
  const rungs = page.locator('#rungs .rows button')
  await expect.poll(() => rungs.first().textContent()).toBe('crowd.m0.99')
  const third = rungs.nth(2)
  const name = (await third.textContent()) ?? ''
  await third.focus()
  crowd.tell({ rungs: { [name]: { ...crowd.tables.rungs[name]!, price: '999999' } } })
  await expect.poll(() => rungs.first().textContent()).toBe(name)
  expect(await page.evaluate('document.activeElement.textContent')).toBe(name)
  expect(complaints).toEqual([])
  crowd.close()
})

const hostile = '<img src=x onerror=alert(1)>'
/** All fields of all tables, with this text wherever possible. */
const texts =
  'version venueUrl stopped exits equity lost unread drift capabilities dashboard halted pauses result today fees file ' +
  'drawdown maxDrawdown bid ask last ' +
  'strategy ladder market goal anchor missing writtenOff position entry level side price amount state order why label role ' +
  'filled status name realized worth limit used most rule truth leaves feed kind lane ' +
  'rungs exit close profit percent mark unrealized liquidation available frozen main value'
const numbers =
  'at pid speed waiting readAt lostSince resting sending doubtful episode sentAt openedAt closedAt leverage ' +
  'doubtfulSince heardAt ' +
  'trueSince firedAt perMs waitMs'
const row = {
  ...Object.fromEntries(texts.split(' ').map((field) => [field, hostile])),
  ...Object.fromEntries(numbers.split(' ').map((field) => [field, 1])),
}
const names = [
  'strategies',
  'markets',
  'ladders',
  'rungs',
  'holdings',
  'pairs',
  'trades',
  'balances',
  'values',
  'limits',
  'rules',
  'feeds',
  'lanes',
]
const hostileTables = {
  ...Object.fromEntries(names.map((name) => [name, { [hostile]: row }])),
  bot: { '': { ...row, real: true } },
  orders: {
    [hostile]: { ...row, status: 'doubtful' },
    'sgrid.grid.b1.1': { ...row, status: 'doubtful', why: 'the answer timed out' },
  },
}

test('any field of any table or of the log stays plain text', async () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no bot tells such rows
  const crowd = new Crowd(hostileTables as unknown as Tables)
  await using watched = await openPage(browser, await crowd.open(), { width: 1600 })
  const { page, complaints } = watched
  await page.locator('#rungs .rows tr').first().waitFor()
  crowd.log({ type: hostile, message: hostile, order: hostile, [hostile]: hostile })
  await page.locator('#log .rows tr').waitFor()
  await page.selectOption('#strategy', hostile)
  await page.locator('#values .rows tr').waitFor()
  await expect.poll(() => page.locator('#file').textContent()).toBe(`name: ${hostile}\n`)
  await page
    .locator('#strategies .rows')
    .getByRole('button', { name: /^Resume/ })
    .click()
  expect(await page.locator('#act-title').textContent()).toBe(`Resume ${hostile}?`)
  expect(await page.locator('#act-text').textContent()).toMatch(/^This bot trades real money\. /)
  expect(await page.title()).toBe(`stopped · ${hostile} · LIVE · Rungs`)
  for (const id of [...names, 'orders', 'log', 'attention', 'doubts', 'chart-title', 'about', 'curves'])
    expect(await page.locator(`#${id}`).textContent(), id).toContain(hostile)
  expect(await page.locator('img').count()).toBe(0)
  expect(await page.locator('#money').textContent()).toBe('LIVE')
  // Commands to copy into a shell contain no text from outside.
  expect(await page.locator('#doubts code').allTextContents()).toEqual([
    "rungs resolve ORDER live --reason 'seen at the venue'",
    "rungs resolve sgrid.grid.b1.1 live --reason 'seen at the venue'",
  ])
  expect(await page.locator('#doubts li').last().textContent()).toContain('the answer timed out')
  expect(complaints).toEqual([])
  crowd.close()
})

test('a paused strategy can be resumed and halted', async () => {
  const crowd = new Crowd()
  await using watched = await openPage(browser, await crowd.open(), { width: 1600 })
  const { page } = watched
  const button = (name: string) => page.locator('#strategies').getByRole('button', { name })
  await button('Halt crowd').waitFor()
  expect(await button('Resume crowd').count()).toBe(0)
  const { crowd: row } = crowd.tables.strategies
  if (row === undefined) throw new Error('no strategy is shown')
  crowd.tell({ strategies: { crowd: { ...row, pauses: 'drawdown: lost 12 of 10' } } })
  await button('Resume crowd').click()
  expect(await page.locator('#act-title').textContent()).toBe('Resume crowd?')
  await page.keyboard.press('Escape')
  expect(await button('Halt crowd').count()).toBe(1)
  crowd.tell({ strategies: { crowd: { ...row, halted: 'by hand' } } })
  await expect.poll(() => button('Halt crowd').count()).toBe(0)
  expect(await button('Resume crowd').count()).toBe(1)
  crowd.close()
})

const limit = (name: string, used: string, most: string) => ({ strategy: 'crowd', limit: name, used, most })

test('limits are money with two decimals, except amounts and counts', async () => {
  const crowd = new Crowd()
  await using watched = await openPage(browser, await crowd.open(), { width: 1600 })
  const { page } = watched
  await page.locator('#strategies').getByRole('button', { name: 'Halt crowd' }).waitFor()
  crowd.tell({
    limits: {
      'crowd.max_notional total': limit('max_notional total', '734.811299', '2200'),
      'crowd.max_position btc': limit('max_position btc', '0.00398', '0.004'),
      'crowd.max_open_orders': limit('max_open_orders', '11', '24'),
    },
  })
  const shown = page.locator('#limits .rows')
  await expect.poll(() => shown.textContent()).toContain('734.81 of 2\u202f200.00')
  expect(await shown.textContent()).toContain('0.00398 of 0.004')
  expect(await shown.textContent()).toContain('11 of 24')
  crowd.close()
})
