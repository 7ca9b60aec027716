import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogue } from '#src/core/errors/error-catalogue.ts'
import { startBot, type StartedBot } from '#test/runtime/support/bot-process.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { exchangeHere, type ExchangeHere } from '#test/cli/support/exchange-here.ts'
import { rungs, startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import packageJson from '../../package.json' with { type: 'json' }
import {
  commandsOf,
  firstCommands,
  isNotRun,
  isShell,
  placed,
  writeFiles,
  type DocumentedCommand,
} from './commands.ts'
import { documentsText, userDocuments } from './documents.ts'

/** These ask the running bot. */
const botVerbs = new Set(['status', 'why', 'stop', 'pause', 'resume', 'signal', 'logs', 'dashboard'])
/** They take signals and end with their process, or no other test starts a process of them. */
const processVerbs = new Set(['run', 'record', 'resume', 'dashboard'])
const readme = userDocuments.find(({ path }) => path === 'README.md')

describe('the commands of the documents', () => {
  using folder = temporaryFolder()
  let exchange: ExchangeHere
  let bot: StartedBot
  /** A command that occurs again is not run again. */
  const done = new Set<string>()

  beforeAll(async () => {
    exchange = await exchangeHere()
    const strategies = ['strategies/01-static-grid.yaml', 'strategies/09-signal-entry.yaml']
    // What commands ask of it does not depend on the market.
    bot = startBot([...strategies, '--speed', '1', '--state-dir', folder.file('bot')])
    // Commands of the documents name an order of this rung.
    await bot.said(
      ({ type, order }) => type === 'order-accepted' && String(order).startsWith('sgrid.grid.b1.'),
    )
  })
  afterAll(async () => {
    await exchange.end()
    await bot[Symbol.asyncDispose]()
  })

  async function follow(command: DocumentedCommand, place: string): Promise<void> {
    const { verb, text, exitCode, outFile } = command
    const words = placed(command, folder.path)
    if (verb === 'exchange') {
      await using started = await startExchange(words)
      expect(started.line, place).toContain('"event":"listening"')
      return
    }
    // The bot has an exchange of its own, and its own nonces.
    const stateDir = folder.file(botVerbs.has(verb) ? 'bot' : 'state')
    const environment = { RUNGS_URL: exchange.url, RUNGS_STATE_DIR: stateDir }
    const type = processVerbs.has(verb) ? rungs : rungsHere
    const { code, stdout, stderr } = await type([verb, ...words], environment)
    expect(code, `${place}: ${text}\n${stdout.slice(-2000)}${stderr}`).toBe(exitCode)
    if (exitCode === 0) expect(stdout, `${place}: ${text}`).not.toBe('')
    if (outFile !== undefined) writeFileSync(outFile.replace(/^\.rungs\//, `${folder.path}/`), stdout)
  }

  test('README starts with the two that a newcomer needs', () => {
    const [first, second] = readme?.blocks.filter(isShell).map(({ text }) => text.trim()) ?? []
    expect([first, second]).toEqual(firstCommands)
    expect(packageJson.scripts.start).toBe(
      'node src/rungs.mjs run strategies/*.yaml --state-dir .rungs/start',
    )
  })

  test.each(userDocuments)('$path: each one runs, or a comment above it says why not', (document) => {
    const { path, text, blocks } = document
    const fences = text.match(/^\s*(?:```|~~~)/gm) ?? []
    expect(fences.length, `${path}: a fence is indented, or not closed`).toBe(2 * blocks.length)
    for (const block of blocks.filter(isShell)) {
      const place = `${path}:${block.line}`
      expect(block.language, `${place}: a block of commands is named sh`).toBe('sh')
      if (isNotRun(block)) continue
      expect(block.mark, `${place}: the comment above it`).toMatch(/^$|^file: /)
    }
    for (const { text: command, verb, words } of commandsOf(document)) {
      expect(
        verb,
        `${path}: ${command}\nonly rungs is run: write <!-- not run: reason --> above it`,
      ).not.toBe('')
      if (verb === 'run' || verb === 'record')
        expect(words, `${path}: ${command}\nends only with --for: mark it`).toContain('--for')
    }
  })

  test.each(userDocuments.filter((document) => commandsOf(document).length > 0))(
    '$path: all do what they say, one after the other',
    async (document) => {
      writeFiles(document, folder.path)
      for (const command of commandsOf(document)) {
        if (done.has(command.text)) continue
        done.add(command.text)
        await follow(command, document.path)
      }
    },
  )

  test.each(userDocuments.filter(({ blocks }) => blocks.some(isStrategy)))(
    '$path: each whole strategy passes the check',
    async (document) => {
      writeFiles(document, folder.path)
      for (const { text, mark, line } of document.blocks.filter(isStrategy)) {
        const [, name = `line-${line}.yaml`] = /^file: \.rungs\/(\S+)$/.exec(mark) ?? []
        writeFileSync(folder.file(name), text)
        const { code, stdout, stderr } = await rungsHere(['check', folder.file(name)])
        expect(code, `${document.path}:${line}\n${stdout}${stderr}`).toBe(0)
      }
    },
  )

  test('print what the documents show of them', async () => {
    const shown = /^1 {2}accepted.*?^3 {2}accepted.*?$/ms.exec(documentsText)?.[0] ?? ''
    const bulk = userDocuments.flatMap(commandsOf).find(({ text }) => text.includes('collateral-bulk --yes'))
    await using fresh = await exchangeHere()
    const environment = { RUNGS_URL: fresh.url, RUNGS_STATE_DIR: folder.file('fresh') }
    const { stdout } = await rungsHere(['api', ...(bulk?.words ?? [])], environment)
    expect(stdout.trim()).toBe(shown)
  })
})

function isStrategy({ language, text }: { language: string; text: string }): boolean {
  return language === 'yaml' && /^version: 1$/m.test(text) && /^ladder:/m.test(text)
}

test('the documents list every exit code of the catalogue', () => {
  const told = new Set([...documentsText.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code)))
  const used = new Set(Object.values(catalogue).map(({ exit }) => exit))
  expect([...used].filter((code) => !told.has(code))).toEqual([])
})
