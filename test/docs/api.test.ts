import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { exchangeHere } from '#test/cli/support/exchange-here.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { userDocuments } from './documents.ts'

const page = userDocuments.find(({ path }) => path === 'docs/api.md')
const text = page?.text ?? ''

test('the page about the API names each endpoint once in its table of groups', () => {
  const groups = /^## Groups of endpoints$.*?^## /ms.exec(text)?.[0] ?? ''
  const named = [...groups.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name)
  const names = Object.keys(contract).map((name) =>
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  )
  expect(new Set(named)).toEqual(new Set(names))
  expect(named).toHaveLength(names.length)
})

test('its example of a signature is that of the client', () => {
  const [body = '', payload = '', signature = ''] = ['body', 'payload', 'signature'].map(
    (name) => new RegExp(`^\\| ${name} \\| \`(.*)\` \\|$`, 'm').exec(text)?.[1],
  )
  expect(Buffer.from(body).toString('base64')).toBe(payload)
  expect(new Secret('testSecretKey').sign(payload)).toBe(signature)
})

test('its program for another language reads a balance', async () => {
  const said = await outputOf('js', 'call.mjs')
  expect(said).toContain('status: 200')
  expect(said).toContain("available: '50000'")
})

test('its TypeScript program places one order, and prints why the other one is refused', async () => {
  const said = await outputOf('ts', 'client.ts')
  expect(said).toMatch(/^accepted \d+$/m)
  expect(said).toContain('refused 32 Validation failed')
})

/** What the program of the page prints, with an exchange of its own. Here the package is its source. */
async function outputOf(language: 'js' | 'ts', name: string): Promise<string> {
  using folder = temporaryFolder()
  await using exchange = await exchangeHere()
  const program = page?.blocks.find((block) => block.language === language)?.text ?? ''
  const source = JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)
  writeFileSync(folder.file(name), program.replace("'rungs'", source))
  const child = spawn(process.execPath, [folder.file(name)], {
    env: { ...process.env, RUNGS_URL: exchange.url },
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = (await child.stdout.toArray()).join('')
  await (child.exitCode === null ? once(child, 'close') : undefined)
  return said
}
