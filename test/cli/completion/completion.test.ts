import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kebab } from '#src/cli/api/fields.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'

const run = promisify(execFile)
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

/** Completions of a bash with our script for these lines; the last word is incomplete. */
async function offered(lines: readonly (readonly string[])[]): Promise<string[][]> {
  const ask = `source "$1"; shift; cd "$1"; shift
    ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rungs; (IFS=' '; echo "\${COMPREPLY[*]}"); }
    line=(); for word in "$@"; do if [[ $word == ';' ]]; then ask "\${line[@]}"; line=(); else line+=("$word"); fi; done`
  const words = lines.flatMap((line) => [...line, ';'])
  const { stdout } = await run('bash', [
    '--norc',
    '-c',
    ask,
    'bash',
    folder.file('completion.bash'),
    folder.path,
    ...words,
  ])
  return stdout.split('\n').map((line) => line.split(' ').filter((word) => word !== ''))
}

beforeAll(async () => {
  const { code, stdout } = await rungs(['completion', 'bash'])
  expect(code).toBe(0)
  writeFileSync(folder.file('completion.bash'), stdout)
  mkdirSync(folder.file('mine'))
  for (const name of ['one.yaml', 'two words.yaml', 'prices.csv']) writeFileSync(folder.file(name), '')
})

describe('bash with the script of rungs completion bash', () => {
  test('offers commands, flags, choices and endpoints', async () => {
    const { stdout: help } = await rungsHere(['--help'])
    const all = [...help.matchAll(/^ {2}([a-z]+) (?:\[|<|[a-z])/gm)].map(([, name = '']) => name)
    expect(all.length).toBeGreaterThan(15)
    const [commands, behindNpx, begun, flags, short, values, choice, endpoints, fields, foreign] =
      await offered([
        ['rungs', ''],
        ['npx', 'rungs', 'ver'],
        ['rungs', 'bac'],
        ['rungs', 'run', '--s'],
        ['rungs', 'new', '-'],
        ['rungs', 'resolve', 'sgrid.grid.b1.1', ''],
        ['rungs', 'sweep', 'one.yaml', '--rank', 's'],
        ['rungs', 'api', ''],
        ['rungs', 'api', 'flex-invest', '--'],
        ['npx', 'other', ''],
      ])
    expect(commands).toEqual(expect.arrayContaining(all.filter((name) => name !== 'help')))
    expect(behindNpx).toEqual(['verify'])
    expect(begun).toEqual(['backtest'])
    expect(flags).toEqual(['--speed', '--signals', '--state-dir', '--standby'])
    expect(short).toEqual(expect.arrayContaining(['-y', '--yes', '--kind']))
    expect(values).toEqual(['live', 'dead', 'gone'])
    expect(choice).toEqual(['sharpe', 'sortino'])
    expect(endpoints).toEqual(Object.keys(contract).map(kebab))
    expect(fields).toEqual(expect.arrayContaining(['--plan', '--amount', '--dry-run']))
    expect(foreign).toEqual([])
  })

  test('offers the stored names of strategies and ladders, as plain text', async () => {
    mkdirSync(folder.file('.rungs'))
    writeFileSync(folder.file('.rungs/names'), ['sgrid', 'sgrid.grid.', 'mm2s', 'mm2s.$(date).'].join('\n'))
    writeFileSync(folder.file('mine/names'), 'other\n')
    const [status, stop, begun, rungs, logs, elsewhere, none] = await offered([
      ['rungs', 'status', ''],
      ['rungs', 'stop', 's'],
      ['npx', 'rungs', 'resume', 'mm'],
      ['rungs', 'why', ''],
      ['rungs', 'logs', '--strategy', ''],
      ['rungs', 'status', '--state-dir', 'mine', ''],
      ['rungs', 'status', '--state-dir', 'nowhere', ''],
    ])
    expect(status).toEqual(['sgrid', 'mm2s'])
    expect(stop).toEqual(['sgrid'])
    expect(begun).toEqual(['mm2s'])
    expect(rungs).toEqual(['sgrid.grid.', 'mm2s.$(date).'])
    expect(logs).toEqual(['sgrid', 'mm2s'])
    expect(elsewhere).toEqual(['other'])
    expect(none).toEqual([])
    rmSync(folder.file('.rungs'), { recursive: true })
  })

  test('offers matching files', async () => {
    const [strategies, markets, folders, nothing] = await offered([
      ['rungs', 'run', ''],
      ['rungs', 'backtest', 'one.yaml', '--market', 'pr'],
      ['rungs', 'run', 'one.yaml', '--state-dir', ''],
      ['rungs', 'run', '--for', ''],
    ])
    // A name of two words: bash adds the quotes.
    expect(strategies?.toSorted()).toEqual(['mine', 'one.yaml', 'two', 'words.yaml'])
    expect(markets).toEqual(['prices.csv'])
    expect(folders).toEqual(['mine'])
    expect(nothing).toEqual([])
  })
})

test.concurrent.each([
  ['zsh', /^compdef _rungs rungs$/m, /"sweep --rank"\) compadd -- profit calmar sharpe sortino drawdown;/],
  [
    'fish',
    /^complete -c rungs -n __fish_use_subcommand -a run -d 'Trade strat/m,
    /from sweep' -l rank -x -a 'profit /,
  ],
])('%s gets the same completions', async (shell, whole, choice) => {
  const { code, stdout } = await rungsHere(['completion', shell])
  expect(code).toBe(0)
  expect(stdout).toMatch(whole)
  expect(stdout).toMatch(choice)
})
