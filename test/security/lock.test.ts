import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lockFaults } from './lock.ts'

const manifest = readFileSync('package.json', 'utf8')
const lock = readFileSync('package-lock.json', 'utf8')

test('the lock file names one archive of the registry, with its SHA-512, for each package', () => {
  expect(lockFaults(manifest, lock)).toEqual([])
  expect(lock.match(/"integrity": "sha512-/g)?.length).toBeGreaterThan(100)
})

const hash = /"integrity": "sha512-[^"]+"/
// Each fault is planted in the real file.
test.each([
  [
    'a dependency from git',
    hash,
    (at: string) => `"resolved": "git+ssh://git@host/a.git#1", ${at}`,
    'elsewhere',
  ],
  [
    'an archive of another host',
    hash,
    (at: string) => `"resolved": "https://host/a.tgz", ${at}`,
    'elsewhere',
  ],
  ['an archive without a hash', hash, () => '"other": ""', 'has no SHA-512'],
  [
    'a hash that can be forged',
    hash,
    () => '"integrity": "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="',
    'has no SHA-512',
  ],
  ['another package under a known name', hash, (at: string) => `"name": "other", ${at}`, 'another package'],
  ['a link', hash, (at: string) => `"link": true, ${at}`, 'is a link'],
  [
    'a script',
    /"node_modules\/undici": \{/,
    (at: string) => `${at} "hasInstallScript": true,`,
    'runs a script',
  ],
  [
    'a lock file that is older than its manifest',
    /"undici": "[^"]+"/,
    () => '"undici": "8.0.0"',
    'not those of',
  ],
])('names %s', (_, place, write, fault) => {
  const planted = lock.replace(place, write)
  expect(planted).not.toBe(lock)
  expect(lockFaults(manifest, planted)).toContainEqual(expect.stringContaining(fault))
})

test('names a range in the manifest, through which a version could change', () => {
  const ranged = manifest.replace('"undici": "', '"undici": "^')
  expect(lockFaults(ranged, lock)).toContainEqual(expect.stringMatching(/^undici has no exact version: \^/))
})

test('npm installs exactly this file: it runs no scripts of dependencies and saves exact versions', () => {
  const settings = readFileSync('.npmrc', 'utf8').split('\n')
  expect(settings).toEqual(expect.arrayContaining(['save-exact=true', 'strict-allow-scripts=true']))
})

test('every package that runs has its reason in the table of dependencies', () => {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(manifest)
  const table = readFileSync('docs/architecture/dependencies.md', 'utf8')
  const cells = table.matchAll(/^\| ([@\w/., -]+?) +\| /gm)
  const reasons = new Set([...cells].flatMap(([, names = '']) => names.split(', ')))
  expect(Object.keys(dependencies).filter((name) => !reasons.has(name))).toEqual([])
})

test('there is no hosted CI whose actions could change', () => {
  // Whoever adds one pins each action by its commit, gives it no secrets, and says so in SECURITY.md.
  expect(['.github/workflows', '.gitlab-ci.yml', '.circleci'].filter((path) => existsSync(path))).toEqual([])
})
