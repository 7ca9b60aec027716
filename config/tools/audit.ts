import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'

/**
 * Asks the registry about the packages of the lock file: whether each archive has a signature of the registry, and whether a
 * vulnerability is known. Ends with 1 if so. Without a registry it says that it did not run, and ends with 0: what needs no
 * network is in `test/security/lock.test.ts`. Words behind the script go to npm.
 */
type Accepted = { advisory: string; until: string; why: string }
type Outcome = { faults: string[] } | { notRun: string }

/** Advisories that do not concern Rungs, by their address. Each one counts again from its day on. */
const accepted: readonly Accepted[] = []

/** Of `npm audit signatures --json`. */
export function signatureOutcome(output: string): Outcome {
  const { invalid, missing, error } = objectIn(output)
  if (!Array.isArray(invalid) || !Array.isArray(missing)) return notRun(error)
  return { faults: [...named(invalid, 'has a wrong signature'), ...named(missing, 'has no signature')] }
}

function named(packages: unknown[], fault: string): string[] {
  return packages.map((each) => `${textOf(each, 'name')} ${textOf(each, 'version')} ${fault}`)
}

/** Of `npm audit --json`. */
export function advisoryOutcome(output: string, today: string, exceptions = accepted): Outcome {
  const { vulnerabilities, message, error } = objectIn(output)
  if (typeof vulnerabilities !== 'object' || vulnerabilities === null) return notRun(message ?? error)
  const excepted = new Set(exceptions.filter(({ until }) => today < until).map(({ advisory }) => advisory))
  const advisories = Object.values(vulnerabilities)
    .flatMap((each: unknown) => (has(each, 'via') && Array.isArray(each.via) ? each.via : []))
    // A package that only contains the vulnerable one names that one.
    .filter((via) => typeof via === 'object' && !excepted.has(textOf(via, 'url')))
  const faults = advisories.map(
    (via) => `${textOf(via, 'name')}: ${textOf(via, 'title')} (${textOf(via, 'url')})`,
  )
  return { faults: [...new Set(faults)] }
}

function notRun(reason: unknown): Outcome {
  const text = typeof reason === 'string' ? reason : textOf(reason, 'summary')
  return { notRun: text === '' ? 'npm has answered nothing' : text }
}

function objectIn(output: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(output)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function has<Name extends string>(value: unknown, name: Name): value is Record<Name, unknown> {
  return typeof value === 'object' && value !== null && name in value
}

function textOf(value: unknown, name: string): string {
  return has(value, name) ? String(value[name]) : ''
}

function npm(words: readonly string[]): Promise<string> {
  const all = [...words, '--json', '--fetch-retries=0', '--fetch-timeout=20000', ...process.argv.slice(2)]
  return new Promise((resolve) => {
    execFile('npm', all, { timeout: 120_000, maxBuffer: 2 ** 26 }, (_error, stdout) => resolve(stdout))
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const outcomes = {
    'missing or wrong signatures': signatureOutcome(await npm(['audit', 'signatures'])),
    advisories: advisoryOutcome(await npm(['audit']), new Date().toISOString().slice(0, 10)),
  }
  for (const [name, outcome] of Object.entries(outcomes)) {
    const lines = 'notRun' in outcome ? [`did not run: ${outcome.notRun}`] : outcome.faults
    process.stdout.write(`${name}: ${lines.length === 0 ? 'none found' : lines.join('\n  ')}\n`)
    if ('faults' in outcome && outcome.faults.length > 0) process.exitCode = 1
  }
}
