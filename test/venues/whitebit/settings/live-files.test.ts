import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { loadVenueFile, venueSchema } from '#src/venues/whitebit/settings/venue-file.ts'
import { parse } from 'yaml'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const fileOf = (name: string) => fileURLToPath(new URL(`../../../../config/${name}`, import.meta.url))

describe('config/live.example.yaml', () => {
  const text = readFileSync(fileOf('live.example.yaml'), 'utf8')
  const settings = [...text.matchAll(/^(# )?([a-zA-Z]+): (\S.*)$/gm)].map(([line, hash, name = '']) => ({
    line: line.replace(/^# /, ''),
    isOn: hash === undefined,
    name,
  }))

  test('explains every setting of a venue file, and none that is not there', () => {
    expect(settings.map(({ name }) => name).toSorted()).toEqual(Object.keys(venueSchema.shape).toSorted())
    for (const { name } of settings) {
      const before = text
        .split(new RegExp(`^(?:# )?${name}:`, 'm'))[0]
        ?.trimEnd()
        .split('\n')
        .at(-1)
      expect(before, `what stands above ${name}`).toMatch(/^#|^(?:keyFile|# keyEnv|# key):/)
    }
  })

  test('is a venue file as it stands, once key and secret are there', () => {
    copyFileSync(fileOf('live.example.yaml'), folder.file('live.yaml'))
    for (const name of ['live.key', 'live.secret'])
      writeFileSync(folder.file(name), 'a-word', { mode: 0o600 })
    const venue = loadVenueFile({ path: folder.file('live.yaml'), environment: {} })
    expect(venue).toMatchObject({ url: 'https://api.venue.example', settleMs: 60_000, clientIds: 'unproven' })
  })

  test('is right about what each setting may be, also about those that are off', () => {
    for (const { line, name } of settings) {
      const [, value = '', choices = ''] = /: (\{.*\}|\S+)(?: # (.+))?$/.exec(line) ?? []
      const shown = choices === '' ? [value] : choices.split(' | ')
      for (const each of shown) {
        const read: unknown = parse(each, { schema: 'failsafe' })
        const given = { url: 'https://api.venue.example', [name]: read }
        expect(venueSchema.safeParse(given).error, `${name}: ${each}`).toBeUndefined()
      }
    }
  })
})

test('the documented profile of the public venue is a venue file as it stands', () => {
  const venue = loadVenueFile({ path: fileOf('venues/whitebit.yaml'), environment: {} })
  expect(venue).toMatchObject({
    url: 'https://whitebit.com',
    streamUrl: 'wss://api.whitebit.com/ws',
    spelling: 'camel',
    clientIds: 'until-ended',
    batchMax: 20,
    credentials: undefined,
  })
})

test('an address of streams that is none is refused with its line', () => {
  for (const [text, message] of [
    ['https://api.venue.example/ws', 'must start with wss://'],
    ['ws://api.venue.example/ws', 'unless it is on this machine'],
    ['wss://me:word@api.venue.example/ws', 'user or a password'],
    ['nowhere', 'must be an address'],
  ]) {
    writeFileSync(folder.file('streams.yaml'), `url: https://venue.example\nstreamUrl: ${text}\n`)
    expect(() => loadVenueFile({ path: folder.file('streams.yaml'), environment: {} })).toThrow(message)
  }
})

test('streams of another host than the file names are not used with another address', () => {
  writeFileSync(
    folder.file('other.yaml'),
    'url: https://venue.example\nstreamUrl: wss://api.venue.example/ws\n',
  )
  const flags = { url: 'http://127.0.0.1:8787' }
  const venue = loadVenueFile({ path: folder.file('other.yaml'), flags, environment: {} })
  expect(venue.streamUrl).toBeUndefined()
})

describe('config/rungs.service', () => {
  const unit = readFileSync(fileOf('rungs.service'), 'utf8')
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''

  test('starts the program by words that it knows', async () => {
    const [node, flag, program, command = '', ...words] = setting('ExecStart').split(' ')
    expect([node, flag]).toEqual(['/opt/rungs/node_modules/.bin/node', '--disable-sigusr1'])
    expect(program).toMatch(/\/src\/rungs\.mjs$/)
    expect(setting('LimitCORE')).toBe('0')
    const { stdout } = await rungsHere([command, '--help'])
    const flags = words.filter((word) => word.startsWith('--'))
    expect(flags).toContain('--live')
    for (const flag of flags) expect(stdout).toMatch(new RegExp(`^  ${flag}\\b`, 'm'))
    expect(setting('StateDirectory')).toBe('rungs')
    expect(words[words.indexOf('--state-dir') + 1]).toBe('/var/lib/rungs')
  })

  test('gives it the key and the secret by the names that it looks for', () => {
    const handed = [...unit.matchAll(/^LoadCredential=(\w+):/gm)].map(([, name = '']) => name)
    const named = [...setting('Environment').matchAll(/(\w+)=%d\/(\w+)/g)].map(([, variable, name]) => [
      variable,
      name,
    ])
    expect(named).toEqual(['key', 'secret'].map((name) => [`RUNGS_${name.toUpperCase()}_FILE`, name]))
    expect(handed).toEqual(['key', 'secret'])
    for (const name of handed) writeFileSync(folder.file(name), `a-${name}`, { mode: 0o440 })
    const names = { RUNGS_KEY_FILE: folder.file('key'), RUNGS_SECRET_FILE: folder.file('secret') }
    const load = () => loadVenueFile({ path: fileOf('paper.yaml'), environment: names })
    // Only where the service manager has put them.
    expect(load).toThrow(/key has mode 0440/)
    vi.stubEnv('CREDENTIALS_DIRECTORY', folder.path)
    expect(load().credentials?.key).toBe('a-key')
    chmodSync(folder.file('secret'), 0o444)
    expect(load).toThrow(/secret has mode 0444/)
    vi.unstubAllEnvs()
  })

  test('starts it again but for what needs a person', () => {
    const { ok, failure, findings, unavailable, temporary, ...personal } = exitCodes
    expect([ok, failure, findings, unavailable, temporary]).toEqual([0, 1, 2, 69, 75])
    expect(setting('RestartPreventExitStatus')).toBe(Object.values(personal).join(' '))
    // However often: orders and positions may be open.
    expect(setting('StartLimitIntervalSec')).toBe('0')
  })
})
