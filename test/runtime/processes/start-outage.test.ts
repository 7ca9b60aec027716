import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lastingExchange, startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { isType, startBot, type StartedBot, type Line } from '#test/runtime/support/bot-process.ts'
import { venueFileText } from '#test/runtime/support/venue-records.ts'

const grid = 'strategies/01-static-grid.yaml'
const waits = (line: Line) =>
  line.type === 'alert' && String(line['message']).startsWith('the start waits for the venue')

/** A bot whose orders rest at a venue that is gone, as the next process finds it. */
async function strandedBot(
  folder: { file: (name: string) => string },
  act: (again: () => StartedBot, venue: { start: () => ReturnType<typeof startExchange> }) => Promise<void>,
): Promise<void> {
  const world = [...(await lastingExchange(folder.file('world'))), '--speed', '60']
  const exchange = await startExchange(world)
  const venue = folder.file('venue.yaml')
  writeFileSync(venue, venueFileText(exchange.url))
  const words = [grid, '--venue', venue, '--speed', '60', '--state-dir', folder.file('state')]
  {
    await using bot = startBot(words)
    await bot.said(isType('order-accepted'))
    bot.kill('SIGKILL')
    await bot.ended
  }
  await exchange.end()
  await act(() => startBot(words), { start: () => startExchange(world) })
}

test('with open orders at a silent venue, a start waits, reports it once, and continues with the answer', async () => {
  using folder = temporaryFolder()
  await strandedBot(folder, async (again, venue) => {
    // SIGTERM ends a waiting start cleanly.
    await using given = again()
    await given.said(waits)
    given.kill('SIGTERM')
    expect((await given.ended).code, given.stderr()).toBe(0)
    expect(given.lines.at(-1)).toMatchObject({ type: 'summary', reason: 'stopped before start' })

    await using bot = again()
    await bot.said(waits)
    await using exchange = await venue.start()
    await bot.said(isType('venue-ready'))
    await bot.said((line) => line.type === 'alert' && String(line['message']).includes('answers again'))
    expect(bot.lines.filter(waits)).toHaveLength(1)
    bot.kill('SIGTERM')
    expect((await bot.ended).code, bot.stderr()).toBe(0)
    expect(exchange.url).not.toBe('')
  })
})

test('without open orders a start at a silent venue fails', async () => {
  using folder = temporaryFolder()
  const venue = folder.file('venue.yaml')
  writeFileSync(venue, venueFileText('http://127.0.0.1:9'))
  await using bot = startBot([grid, '--venue', venue, '--state-dir', folder.file('state')])
  expect((await bot.ended).code).toBe(69)
  expect(bot.lines.filter(waits)).toEqual([])
})
