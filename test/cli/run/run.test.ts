import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { rungsHere } from '#test/cli/support/in-process.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'

/** Prints every loaded module to stderr. */
const traceModules = `--import=data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      process.stderr.write(url + String.fromCharCode(10))
      return next(url, context)
    },
  })`,
)}`

test.concurrent.each(['--help', 'exchange --help'])(
  'rungs %s loads neither the wire, the schemas nor the server',
  async (words) => {
    const { code, stdout, stderr } = await rungs(words.split(' '), { NODE_OPTIONS: traceModules })
    expect(code).toBe(0)
    expect(stdout).not.toBe('')
    expect(stderr).toMatch(/commander/)
    expect(stderr).not.toMatch(/node_modules\/(?:undici|zod|hono|yaml|decimal\.js|@marcbachmann)\//)
  },
)

test.concurrent('rungs run with a venue file does not load the embedded exchange', async () => {
  using folder = temporaryFolder()
  const venue = folder.file('venue.yaml')
  writeFileSync(venue, 'url: http://127.0.0.1:1\nkey: a-key\nsecret: some-secret\n')
  const words = ['run', 'strategies/01-static-grid.yaml', '--venue', venue, '--state-dir', folder.path]
  const { code, stderr } = await rungs(words, { NODE_OPTIONS: traceModules, RUNGS_PERMISSION: 'off' })
  expect({ code, stderr }).toEqual({ code: 69, stderr: expect.stringContaining('VENUE_UNREACHABLE') })
  expect(stderr).toMatch(/src\/engine\/engine\.ts/)
  expect(stderr).not.toMatch(/src\/exchange\/exchange\.ts/)
})

test.concurrent('rungs --version prints only the version of the package, and loads nothing of the program', async () => {
  const version = { code: 0, stdout: `${packageJson.version}\n` }
  expect(await rungs(['--version'])).toEqual({ ...version, stderr: '' })
  const traced = await rungs(['--version'], { NODE_OPTIONS: traceModules })
  expect(traced).toMatchObject(version)
  expect(traced.stderr).not.toMatch(/main\.[jt]s|node_modules/)
})

test.concurrent('rungs without arguments prints the commands on stderr and fails', async () => {
  const { code, stdout, stderr } = await rungs([])
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toMatch(/exchange[\s\S]*api/)
})

test.concurrent.each([
  ['a misspelled command', ['exchnage'], /unknown command 'exchnage', did you mean exchange\?/],
  ['a misspelled flag', ['exchange', '--prot', '1'], /unknown option '--prot', did you mean --port\?/],
  ['a port that is none', ['exchange', '--port', '70000'], /"70000" is not a port/],
  ['a word too many', ['exchange', 'now'], /too many arguments/],
  [
    'a profile that does not exist',
    ['exchange', '--profile', 'spce'],
    /'spce' is invalid, did you mean "spec"\?; allowed choices are spec, full\nfix: See rungs exchange --help/,
  ],
  [
    'a market that does not exist',
    ['exchange', '--market', 'seedet'],
    /--market seedet is neither still nor seeded nor a file/,
  ],
  [
    'an argument that is no choice',
    ['resolve', 'x', 'deed', '--reason', 'seen'],
    /'deed' is invalid for argument 'what', did you mean "dead"\?; allowed choices are live, dead, gone\nfix: See rungs resolve/,
  ],
  [
    'a command below another one without its file',
    ['alerts', 'test'],
    /'file'\nfix: See rungs alerts test --help/,
  ],
  ['help about no command', ['help', 'rnu'], /unknown command 'rnu', did you mean "run"\?/],
  [
    'real orders where no venue is named',
    ['run', 'strategies/01-static-grid.yaml', '--live'],
    /--live without --venue/,
  ],
  [
    'a still market that moves',
    ['exchange', '--market', 'still', '--market', 'seeded'],
    /excludes other --market/,
  ],
  ['a speed that is none', ['exchange', '--speed', '0'], /"0" is not a speed/],
  [
    'a misspelled endpoint',
    ['api', 'main-balanse'],
    /unknown endpoint "main-balanse", did you mean "main-balance"\?/,
  ],
  ['an endpoint like none', ['api', 'withdraw-all'], /unknown endpoint "withdraw-all"\n/],
  [
    'a misspelled field',
    ['api', 'main-balance', '--tickr', 'BTC'],
    /unknown flag --tickr, did you mean "--ticker"\?/,
  ],
  ['a secret on the command line', ['api', 'ping', '--api-secret', 'hunter2'], /unknown flag --api-secret/],
  ['a value without its flag', ['api', 'main-balance', 'BTC'], /"BTC" has no flag before it/],
  ['a flag without its value', ['api', 'main-balance', '--ticker'], /--ticker needs a value: TEXT/],
  [
    'a flag given twice',
    ['api', 'main-balance', '--ticker', 'A', '--ticker', 'B'],
    /--ticker is given twice/,
  ],
  [
    'a field that is missing',
    ['api', 'collateral-limit', '--market', 'BTC_PERP', '--side', 'buy', '--amount', '1', '--yes'],
    /--price: The price field is required/,
  ],
  ['a number that is none', ['api', 'flex-plans', '--limit', 'ten'], /--limit must be a whole number/],
  [
    'a choice that is none',
    ['api', 'worker-hashrate', '--interval', '1hh'],
    /--interval must be one of 5m, 1h, 24h, did you mean "1h"\?/,
  ],
  [
    'a number that is no choice',
    ['api', 'set-leverage', '--leverage', '4'],
    /--leverage must be one of 1, .*100\n/,
  ],
  ['a switch with a value', ['api', 'ping', '--json=yes'], /--json takes no value/],
  [
    'a boolean that is none',
    ['api', 'flex-invest', '--with-reinvest=maybe'],
    /--with-reinvest must be true or false/,
  ],
  ['JSON that is none', ['api', 'collateral-bulk', '--orders', '[{]'], /--orders must be JSON/],
  [
    'a list that is none',
    ['api', 'transaction-history', '--status', '3,7'],
    /--status must be JSON .*\(Such as \[3,7\].*\n.* transaction-history --help\n/,
  ],
  [
    'an object next to its member',
    ['api', 'edit-sub-account', '--permissions', '[]', '--permissions.spot-enabled'],
    /exclude each other/,
  ],
])('%s is reported in plain lines with exit code 64', async (_, words, expected) => {
  const { code, stdout, stderr } = await rungsHere(words)
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toMatch(/^USAGE: /)
  expect(stderr).toMatch(expected)
  expect(stderr).not.toMatch(/^\s+at |hunter2/m)
  expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3)
})

test('a folder without permission is not reported as a bug', async () => {
  using state = temporaryFolder()
  const path = state.file('logs')
  writeFileSync(path, 'no folder')
  const { code, stderr } = await rungsHere(['logs', '--state-dir', state.path])
  const seen = `The file cannot be read: ${path} (ENOTDIR, a part of the path is not a folder)`
  expect({ code, stderr }).toEqual({
    code: 78,
    stderr: `FILE_UNREADABLE: ${seen}\nfix: Check the path and its permissions\n`,
  })
})
