import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { advisoryOutcome, signatureOutcome } from '../../config/tools/audit.ts'

const url = 'https://github.com/advisories/GHSA-0000-0000-0000'
const advisory = { id: 1, url, title: 'a flaw', severity: 'high', vulnerable_versions: '*' }

/** The step of `.ci/run`, with a registry of our own. */
async function audit(registry: string): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve) => {
    const words = ['config/tools/audit.ts', '--registry', registry]
    execFile(process.execPath, words, (error, stdout) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout })
    })
  })
}

test('a vulnerability that the registry knows of fails the step, by name and address', async () => {
  const server = createServer((request, response) => {
    request.resume()
    const isAsked = request.url?.endsWith('/advisories/bulk') === true
    response.writeHead(isAsked ? 200 : 404, { 'content-type': 'application/json' })
    response.end(isAsked ? JSON.stringify({ undici: [advisory] }) : '{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const { code, stdout } = await audit(`http://127.0.0.1:${port}`)
  server.close()
  expect(stdout).toContain(`undici: a flaw (${url})`)
  expect(code).toBe(1)
})

test('without a registry the step says that it did not run, and why', async () => {
  const { code, stdout } = await audit('http://127.0.0.1:9')
  expect(stdout).toMatch(/^missing or wrong signatures: did not run: \S/m)
  expect(stdout).toMatch(/^advisories: did not run: .*ECONNREFUSED/m)
  expect(code).toBe(0)
})

test('a package whose signature is wrong or missing is named', () => {
  const [good, bad] = [
    { name: 'ws', version: '1.0.0' },
    { name: 'zod', version: '2.0.0' },
  ]
  const told = signatureOutcome(JSON.stringify({ invalid: [bad], missing: [good] }))
  expect(told).toEqual({ faults: ['zod 2.0.0 has a wrong signature', 'ws 1.0.0 has no signature'] })
  expect(signatureOutcome('{"invalid":[],"missing":[]}')).toEqual({ faults: [] })
  expect(signatureOutcome('')).toEqual({ notRun: 'npm has answered nothing' })
})

test('an accepted advisory counts again from its day on', () => {
  const output = JSON.stringify({
    vulnerabilities: { a: { via: [{ name: 'a', ...advisory }] }, b: { via: ['a'] } },
  })
  const exceptions = [{ advisory: url, until: '2027-01-01', why: 'not reachable' }]
  expect(advisoryOutcome(output, '2026-12-31', exceptions)).toEqual({ faults: [] })
  expect(advisoryOutcome(output, '2027-01-01', exceptions)).toEqual({ faults: [`a: a flaw (${url})`] })
})
