import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { z } from 'zod'

/** The checker of accessibility, as a script that runs in the page. */
export const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const controlFile = z.object({ url: z.string(), pid: z.int(), token: z.string() })

/** Address of the bot of a folder. */
export function told(stateDir: string) {
  return controlFile.parse(JSON.parse(readFileSync(join(stateDir, 'control.json'), 'utf8')))
}

/**
 * Ends when each panel has shown what `/status` said. The bot goes on meanwhile, and a page that has little of the machine
 * shows other moments than those that were asked for: all that a panel has shown is held against all that was said since this
 * began, until they meet.
 */
export async function agreed(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const authorization = 'Bearer ' + sessionStorage.getItem('token').split('.')[0]
    const [said, shown] = [new Map(), new Map()]
    const keep = (texts, parts) => {
      for (const [panel, part] of Object.entries(parts)) {
        if (!texts.has(panel)) texts.set(panel, new Set())
        texts.get(panel).add(JSON.stringify(part))
      }
    }
    const look = () => keep(shown, (${seenNow})())
    const watching = new MutationObserver(look)
    watching.observe(document.body, { subtree: true, childList: true, characterData: true })
    do {
      keep(said, (${saidBy})(await (await fetch('/status', { headers: { authorization } })).json()))
      look()
    } while ([...said].some(([panel, texts]) => texts.isDisjointFrom(shown.get(panel))))
    watching.disconnect()
  })()`)
}

/** The part of the status that the panels show. */
const saidBy = `({ equity, strategies }) => ({
  equity: Number(equity).toFixed(2),
  strategies: strategies.map(({ name, result, orders }) =>
    [name, Number(result).toFixed(2).replace('-0.00', '0.00'), String(orders.resting)]),
  pairs: strategies.flatMap(({ name, rungPairs }) =>
    rungPairs.map(({ ladder, level, pairs, profit }) =>
      [name + '.' + ladder + '.' + level, String(pairs), Number(profit).toFixed(2).replace('-0.00', '0.00')])),
  holdings: strategies.flatMap(({ name, holdings }) =>
    holdings.map(({ symbol, position }) => [name, symbol, position])),
  ladders: strategies.flatMap(({ name, ladders }) =>
    ladders.map((each) => \`\${name}.\${each.name}: \${each.goal}, \${each.resting} of \${each.rungs} resting\`)),
  limits: strategies.flatMap(({ name, margins }) =>
    margins.map(({ limit, used, most }) => [
      name + '.' + limit.replaceAll('_', ' '),
      // The use of money limits changes with every price and is computed once a second.
      limit === 'max_open_orders' ? used : 'money',
      Number(most).toFixed(2),
    ])),
})`

/** The same data as read from the page. */
const seenNow = `() => {
  const plain = (text) => text.replaceAll('\u202f', '').replaceAll('−', '-').replace('+', '')
  const rows = (id) =>
    [...document.querySelectorAll('#' + id + ' .rows tr')].map((row) =>
      [...row.cells].map((cell) => plain(cell.textContent)))
  const column = (id, title) =>
    [...document.querySelectorAll('#' + id + ' th')].findIndex((cell) => cell.textContent.trim() === title)
  return {
    equity: plain(document.querySelector('#figures dd').textContent),
    strategies: rows('strategies').map((cells) =>
      [cells[0], cells[column('strategies', 'Result')], cells[column('strategies', 'Resting')]]),
    pairs: rows('pairs').map((cells) => cells.slice(0, 3)),
    holdings: rows('holdings').map(([name, symbol, , position]) => [name, symbol, position]),
    ladders: [...document.querySelectorAll('#ladders li')].map(({ textContent }) =>
      textContent.split(' · ').filter((part) => part.includes(':') || part.endsWith(' resting')).join(', ')),
    limits: rows('limits').map(([name, text]) =>
      [name, name.endsWith('orders') ? text.split(' ')[0] : 'money', Number(text.split(' of ')[1]).toFixed(2)]),
  }
}`

/** Rows of a table in the page, by their first cell. */
export async function rowsOf(page: Page, id: string): Promise<Record<string, string[]>> {
  return page.evaluate(`Object.fromEntries(
    [...document.querySelectorAll('#${id} .rows tr')]
      .map((row) => [...row.cells].map((cell) => cell.textContent.replaceAll('\\u202f', '')))
      .map(([name, ...others]) => [name, others]))`)
}
