import { readFileSync, writeFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { drafted } from '#src/cli/new/new-file.ts'
import { answered, venueOf } from '#src/cli/new/new-strategy.ts'
import { rulesOfWorld } from '#src/cli/files/world-rules.ts'
import { packagedWorld } from '#src/cli/files/packaged-world.ts'
import { person } from '#src/cli/new/questions.ts'
import { kindNames } from '#src/strategy/draft/kind-names.ts'
import { startBot } from '#test/runtime/support/bot-process.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { volatileWorld } from '#test/support/volatile-market.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const venue = venueOf(rulesOfWorld(packagedWorld, 'full'))

/** The output and the result of a dialogue with these answers. */
async function talk(typed: readonly string[], taken: readonly string[] = []) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  input.end(typed.map((line) => `${line}\n`).join(''))
  const draft = answered({}, venue, (name) => taken.includes(name), person(input, output))
  const settled = await draft.catch((error: unknown) => error)
  output.end()
  return { settled, said: await text(output) }
}

describe('the dialogue', () => {
  test('uses the default for an empty line, and reports an invalid answer at once', async () => {
    const { settled, said } = await talk(
      ['', 'ETH_PREP', 'ETH_PERP', '', '2x', '4', '', 'mine', 'dip2'],
      ['mine'],
    )
    expect(settled).toMatchObject({ kind: 'grid', market: 'ETH_PERP', levels: 4, name: 'dip2' })
    expect(said).toContain('kind [grid]: ')
    expect(said).toContain('Which market? BTC_USDT, ETH_USDT, ')
    expect(said).toContain('"ETH_PREP" has no price at the venue, did you mean "ETH_PERP"?\n  Write one of')
    expect(said).toContain('"2x" is not a number of rungs')
    expect(said).toContain('mine.yaml exists, and new does not overwrite files\n  Write another name')
  })

  test('offers a name whose file does not exist', async () => {
    const { said } = await talk(Array<string>(8).fill(''), ['mygrid', 'mygrid2'])
    expect(said).toContain('[mygrid3]: ')
  })

  test('writes nothing if it is not completed', async () => {
    const { settled } = await talk(['dca', 'BTC_PERP'])
    expect(settled).toMatchObject({
      code: 'NOT_CONFIRMED',
      fix: 'Run the command again; nothing was written',
    })
  })
})

describe('rungs new', () => {
  test('writes a valid strategy, prints its ladder and next steps, and overwrites nothing', async () => {
    const file = folder.file('grid.yaml')
    const words = ['new', file, '--kind', 'grid', '--market', 'BTC_USDT', '--levels', '5', '--name', 'mine']
    const { code, stdout, stderr } = await rungsHere(words)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/b5 +buy .*\n.*s1 +sell/)
    expect(stdout).toContain(`npx rungs run ${file}\n`)
    expect(stdout).toMatch(/npx rungs backtest \S+grid\.yaml --market \S*config\/markets\/BTC_USDT\.csv\n/)
    const checked = await rungsHere(['check', file])
    expect(checked).toMatchObject({ code: 0, stderr: '' })

    writeFileSync(file, 'mine')
    const again = await rungsHere(words)
    expect(again).toMatchObject({ code: 78, stdout: '' })
    expect(again.stderr).toContain('exists, and new does not overwrite files\nfix: Name another file')
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  test.each([
    [{ levels: '400' }, '--levels 400 are too many', 'Write a whole number from 2 to 11'],
    [{ kind: 'grid', dip: '1%' }, '--dip has no effect on a grid strategy', 'Omit it'],
    [{ market: 'DOGE' }, '--market "DOGE" has no price at the venue', 'Write one of BTC_USDT'],
  ])('refuses the flags %j with a fix', async (flags, seen, fix) => {
    await expect(answered(flags, venue, () => false, undefined)).rejects.toMatchObject({
      code: 'USAGE',
      seen: expect.stringContaining(seen),
      fix: expect.stringContaining(fix),
    })
  })

  test('drafts strategies that trade as soon as they run', async () => {
    const files: string[] = []
    for (const kind of kindNames) {
      const draft = await answered({ kind }, venue, () => false, undefined)
      const place = venue.places.get(draft.market)
      if (!place) throw new Error(`${draft.market} is no market`)
      const made = drafted(draft, place, rulesOfWorld(packagedWorld, 'full'), 'strategy.schema.json')
      expect(made.problems).toEqual([])
      files.push(folder.file(`${draft.name}.yaml`))
      writeFileSync(files.at(-1) ?? '', made.text)
    }
    const flags = [
      '--profile',
      'full',
      '--market',
      'seeded',
      '--speed',
      '60',
      '--world',
      volatileWorld(folder),
    ]
    await using exchange = await startExchange(flags)
    const venueFile = folder.file('venue.yaml')
    writeFileSync(venueFile, `url: ${exchange.url}\nkey: paper-key\nsecret: paper-secret\nsettle: 0s\n`)
    const where = ['--venue', venueFile, '--speed', '60', '--state-dir', folder.file('state')]
    await using bot = startBot([...files, ...where])
    // Fills of a market maker depend on the market.
    for (const name of ['mygrid', 'mydip', 'mydca']) {
      await bot.said(({ type, strategy }) => type === 'fill' && strategy === name)
    }
    await bot.said(({ type, strategy }) => type === 'order-accepted' && strategy === 'mymaker')
  })
})
