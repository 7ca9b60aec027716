import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onTerminal, type OnTerminal } from '#test/operate/terminal/on-terminal.ts'
import { svgOf } from '#test/operate/terminal/svg.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { programWords, rungs, temporaryFolder } from '#test/cli/support/process.ts'
import { realTime } from '#test/support/real-time.ts'

const grid = fileURLToPath(new URL('../../../../strategies/01-static-grid.yaml', import.meta.url))
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

/** Log lines of the bot so far. */
function logged(stateDir: string): string[] {
  const logs = `${stateDir}/logs`
  return readdirSync(logs).flatMap((name) => readFileSync(`${logs}/${name}`, 'utf8').split('\n'))
}

describe('npm start on a terminal', () => {
  const stateDir = folder.file('start')
  let terminal: OnTerminal
  beforeAll(() => {
    terminal = onTerminal(['npm', 'start', '--', '--state-dir', stateDir], { columns: 40, rows: 15 })
  })
  afterAll(() => terminal[Symbol.asyncDispose]())

  test('shows the first strategy within 40 columns', async () => {
    await terminal.shows(/^Rungs +equity \d+\.\d\d +today .*\n\[sgrid\] ggeo [^]*▶ BTC_USDT/)
    await terminal.shows(/\d+ ● (?:buy|sell) +0\.\d+ ━+ +[-+]\d\.\d\d%/)
    expect(terminal.isAlternate()).toBe(true)
    expect(terminal.rows().join('')).toMatch(/http:\/\/127\.0\.0\.1:\d+\/#[\w-]{43}\.\d+tab: next strategy/)
  })

  test('adapts to a larger window, and shows the first fill', async () => {
    terminal.resize(200, 60)
    const text = await terminal.shows(
      /\n── last events ─{100,}\n[^]*\d\d:\d\d:\d\d fill +\w+\.[^]*q or Ctrl-C: stop$/,
    )
    expect(text.split('\n')).toHaveLength(60)
    expect(text).toMatch(/▸ sgrid [^]* ggeo [^]*limits of sgrid[^]*rules of sgrid/)
  })

  test('equals the picture in README', async () => {
    const path = fileURLToPath(new URL('../../../pictures/terminal.svg', import.meta.url))
    if (process.env['RUNGS_PICTURES'] === '1') {
      terminal.resize(100, 36)
      await terminal.shows(/^Rungs [^]* fill [^]* fill [^]* fill [^]*\ntab: next/)
      const word = `#${'•'.repeat(43)}`
      const rows = terminal
        .runs()
        .map((runs) =>
          runs.map((run) => ({ ...run, text: run.text.trimEnd().replace(/#[\w-]{43}(?=\.\d+$)/, word) })),
        )
      writeFileSync(
        path,
        svgOf(rows, 100, 'A grid of buys and sells around the price, and what has happened last'),
      )
    }
    const picture = readFileSync(path, 'utf8')
    expect(picture.length).toBeLessThan(60_000)
    for (const part of ['[sgrid]', '▶ BTC_USDT', '── last events ─', '#•••', 'tab: next strategy']) {
      expect(picture).toContain(part)
    }
  })

  test('shows another strategy on a key', async () => {
    terminal.press('\t')
    await terminal.shows(/ sgrid {1,2}\[ggeo\][^]*▶ ETH_USDT/)
    terminal.press('\u001b[Z')
    await terminal.shows(/^\[sgrid\]/m)
  })

  test('explains the selected strategy, as rungs why does, and updates the text until the next key', async () => {
    terminal.press('w')
    const running =
      /\[sgrid\][^]*\n {2}state: running[^]*\ngrid: goal ensure, \d+ of 20 rungs resting[^]*any key: back$/
    await terminal.shows(running)
    await rungsHere(['pause', 'sgrid', '--reason', 'a stranger'], { RUNGS_STATE_DIR: stateDir })
    await terminal.shows(/\nsgrid\n {2}paused by [^]*any key: back$/)
    await rungsHere(['resume', 'sgrid', '--reason', 'a stranger'], { RUNGS_STATE_DIR: stateDir })
    await terminal.shows(running)
    terminal.press(' ')
    await terminal.shows(/\n── last events [^]*q or Ctrl-C: stop$/)
  })

  test('stops, flattens and resumes the selected strategy after one question', async () => {
    terminal.press('s')
    await terminal.shows(
      /Stop sgrid: no new entries, and cancel its open entries\? y: yes, any other key: no$/,
    )
    terminal.press('n')
    await terminal.shows(/q or Ctrl-C: stop$/)
    expect(logged(stateDir).some((line) => line.includes('"type":"halted"'))).toBe(false)
    terminal.press('f')
    await terminal.shows(/Flatten sgrid: cancel its orders and close its positions at the market\?/)
    terminal.press('y')
    await terminal.shows(/halted[^]*by a key on the terminal/)
    await expect.poll(() => logged(stateDir).join('\n')).toContain('"type":"flattened"')
    terminal.press('r')
    await terminal.shows(/Resume sgrid\? y: yes/)
    const resumed = () => logged(stateDir).filter((line) => line.includes('"type":"resumed"')).length
    const before = resumed()
    terminal.press('y')
    await expect.poll(resumed).toBe(before + 1)
  })

  test('does not block the bot when the terminal stops reading', async () => {
    terminal.freeze()
    // Far more than the buffer of a terminal.
    for (let times = 0; times < 60; times += 1) {
      terminal.press('\t')
      await realTime(20)
    }
    const before = logged(stateDir).length
    await expect.poll(() => logged(stateDir).length).toBeGreaterThan(before + 5)
    terminal.thaw()
  })

  test('Ctrl-C restores the screen, and prints a summary with working commands', async () => {
    terminal.press('\u0003')
    expect((await terminal.ended).exitCode).toBe(0)
    expect(terminal.isAlternate()).toBe(false)
    const text = terminal.rows().join('\n')
    expect(text).toMatch(
      /\nStopped after \d+ (?:s|min)\n +fills +[1-9]\d*\n +orders +\d+.*\n[^]* +profit +-?\d+\.\d\d, .*\n +fees +\d/,
    )
    expect(text).toContain(`journal    ${stateDir}/journal.sqlite`)
    expect(text).toContain(`logs       ${stateDir}/logs`)
    expect(text).toMatch(/dashboard {2}http:\/\/127\.0\.0\.1:\d+, while a bot runs/)
    // The token disappears with the screen.
    expect(text).not.toContain('/#')
    const commands = [...text.matchAll(/^ +npx rungs (.+)$/gm)].map(([, words = '']) => words.split(' '))
    expect(commands.map(([command]) => command)).toEqual(['why', 'logs', 'check', 'new'])
    for (const words of commands.slice(0, -1)) {
      const { code, stdout } = await rungsHere(words, { RUNGS_STATE_DIR: stateDir })
      expect({ words, code }).toEqual({ words, code: 0 })
      expect(stdout).toMatch(/\n/)
    }
    await using questions = onTerminal([process.execPath, ...programWords(['new'])], {
      columns: 80,
      rows: 24,
    })
    await questions.shows(/Which kind of strategy\?/)
  })
})

/** Colours and other control sequences. */
// oxlint-disable-next-line no-control-regex
const escapes = /\u001b/

function run(name: string, env: NodeJS.ProcessEnv, ...words: string[]): OnTerminal {
  const all = programWords(['run', grid, '--state-dir', folder.file(name), ...words])
  return onTerminal([process.execPath, ...all], { columns: 80, rows: 24, env })
}

describe('rungs run', () => {
  test('respects NO_COLOR, and shuts down cleanly when its terminal closes', async () => {
    await using terminal = run('plain', { NO_COLOR: '1' })
    await terminal.shows(/\[sgrid\][^]*▶ BTC_USDT[^]*━/)
    // oxlint-disable-next-line no-control-regex
    expect(terminal.written()).not.toMatch(/\u001b\[[\d;]*m/)
    terminal.kill('SIGHUP')
    expect((await terminal.ended).exitCode).toBe(0)
    expect(terminal.isAlternate()).toBe(false)
    expect(logged(folder.file('plain')).at(-2)).toContain('"type":"summary"')
  })

  test('shuts down cleanly when the terminal has stopped reading', async () => {
    await using terminal = run('stuck', {})
    await terminal.shows(/\[sgrid\][^]*▶ BTC_USDT[^]*━/)
    terminal.resize(200, 60)
    terminal.freeze()
    for (let times = 0; times < 60; times += 1) {
      terminal.press('\t')
      await realTime(20)
    }
    terminal.kill('SIGTERM')
    const stateDir = folder.file('stuck')
    await expect.poll(() => logged(stateDir).at(-2)).toContain('"type":"summary"')
    await expect.poll(() => existsSync(`${stateDir}/control.json`)).toBe(false)
  })

  test('prints lines and a summary for people on a dumb terminal', async () => {
    await using terminal = run('dumb', { TERM: 'dumb', NO_COLOR: '1' }, '--for', '1ms')
    expect((await terminal.ended).exitCode).toBe(0)
    expect(terminal.written()).toMatch(/venue-ready[^]*summary[^]*Stopped after[^]*npx rungs logs/)
    expect(terminal.written()).not.toMatch(escapes)
  })

  test('without a terminal it prints plain lines, and the summary as the last one', async () => {
    const { code, stdout } = await rungs(['run', grid, '--for', '1ms', '--state-dir', folder.file('pipe')])
    expect(code).toBe(0)
    expect(stdout).toMatch(/venue-ready[^]*dashboard-ready[^]*\n\S+ \S+ +summary .*\n$/)
    expect(stdout).not.toMatch(escapes)
  })
})
