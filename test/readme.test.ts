import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogue } from '#src/errors/catalogue.ts'
import packageJson from '../package.json' with { type: 'json' }
import { isType, startBot, type BotProcess } from './bot/bot-process.ts'
import { rungsHere } from './cli/here.ts'
import { rungs, startExchange, temporaryFolder, type Exchange } from './cli/process.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(`${root}README.md`, 'utf8')
const map = readFileSync(`${root}src/README.md`, 'utf8')

/** The lines of every block that a reader would paste into a shell, without the remarks behind them. */
const commands = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)]
  .flatMap(([, block = '']) => block.trim().split('\n'))
  .map((line) => line.replace(/\s+# .*$/, ''))

/** Words as a shell would split them, as far as README's quoting goes. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

const botVerbs = new Set(['status', 'why', 'stop', 'resume', 'logs', 'dashboard'])
/** They take signals, or workers, and end with their process. */
const longVerbs = new Set(['run', 'sweep'])

describe('the commands of README', () => {
  using folder = temporaryFolder()
  let exchange: Exchange
  let bot: BotProcess
  beforeAll(async () => {
    exchange = await startExchange()
    bot = startBot(['strategies/01-static-grid.yaml', '--state-dir', folder.file('bot')])
    await bot.said(isType('order-accepted'))
  })
  afterAll(async () => {
    await exchange.end()
    await bot[Symbol.asyncDispose]()
  })

  test('start with the two that a newcomer needs', () => {
    expect(commands.slice(0, 2)).toEqual(['npm ci && npm start', 'npm ci && npm test'])
    // npm ci and npm test are what runs this very test; npm start is the first of the next ones.
    expect(packageJson.scripts.start).toBe('node src/rungs.mjs run strategies/*.yaml')
  })

  test('all do what they say, one after the other, as a reader would type them', async () => {
    const typed = commands.slice(2)
    const typedOnce = new Set<string>()
    expect(typed.length).toBeGreaterThan(10)
    for (const command of typed) {
      const [npx, program, verb = '', ...words] = wordsOf(command)
      expect([npx, program, verb], command).toEqual([
        'npx',
        'rungs',
        expect.stringMatching(
          /^(?:api|check|new|exchange|market|run|replay|verify|backtest|sweep|status|why|stop|resume|logs|dashboard)$/,
        ),
      ])
      if (verb === 'exchange') {
        // The folder of the reader's own is left alone.
        const flags = words.map((word) => (word === '.rungs/exchange' ? folder.file('exchange') : word))
        await using durable = await startExchange(flags)
        expect(durable.line, command).toContain('"event":"listening"')
        continue
      }
      // The bot has an exchange of its own, and its own nonces.
      const stateDir = folder.file(botVerbs.has(verb) ? 'bot' : 'state')
      const environment = { RUNGS_URL: exchange.url, RUNGS_STATE_DIR: stateDir }
      // A tape of fifteen seconds shows no more than one of four.
      const own = words.map((word) =>
        word.replace(/^\.rungs\/(?=try)/, `${folder.path}/`).replace(/^15s$/, '4s'),
      )
      // Each command once in a process, as a reader would have it.
      const isNew = !typedOnce.has(verb)
      typedOnce.add(verb)
      const type = isNew || longVerbs.has(verb) ? rungs : rungsHere
      const { code, stdout, stderr } = await type([verb, ...own], environment)
      expect(code, `${command}\n${stderr}`).toBe(0)
      expect(stdout, command).not.toBe('')
    }
  })

  test('print what README shows of them', async () => {
    const shown = /^1 {2}accepted.*^3 {2}accepted.*?$/ms.exec(readme)?.[0] ?? ''
    const bulk = commands.find((command) => command.includes('collateral-bulk --yes')) ?? ''
    await using fresh = await startExchange()
    const environment = { RUNGS_URL: fresh.url, RUNGS_STATE_DIR: folder.file('fresh') }
    const { stdout } = await rungsHere(wordsOf(bulk).slice(2), environment)
    expect(stdout.trim()).toBe(shown)
  })
})

describe('what README names', () => {
  test('is there: every file, in both of them', () => {
    const named = [
      ...`${readme}${map}`.matchAll(
        /`((?:src|test|config)\/[\w./-]+)`|\]\(([\w./-]+)\)|(?:src|srcset)="([\w./-]+)"/g,
      ),
    ]
      .map(([, quoted, linked, pictured]) => quoted ?? linked ?? pictured ?? '')
      .filter((path) => !path.includes('://'))
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((path) => !existsSync(`${root}${path}`))).toEqual([])
  })

  test('covers every exit code of the catalogue', () => {
    const told = new Set([...readme.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code)))
    const used = new Set(Object.values(catalogue).map(({ exit }) => exit))
    expect([...used].filter((code) => !told.has(code))).toEqual([])
  })
})
