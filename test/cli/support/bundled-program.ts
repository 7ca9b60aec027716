import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const bundler = fileURLToPath(new URL('bundle-sources.ts', import.meta.url))
const dayMs = 86_400_000
// A process that trades may read the folders of packages, and no other folder that is not part of a package.
const bundles = join(root, 'node_modules/.cache/rungs-bundles')

/** Of the sources and of the packages that are in the bundle with them. */
function printOf(paths: readonly string[]): string {
  const print = createHash('sha256')
  for (const path of paths) {
    const { mtimeMs, size } = statSync(join(root, path))
    print.update(`${path} ${mtimeMs} ${size}\n`)
  }
  return print.digest('hex').slice(0, 16)
}

/** Another run of the tests, of earlier sources, may still use a younger one. */
function removeOld(folder: string): void {
  const ageMs = Date.now() - statSync(folder).mtimeMs
  if (ageMs > dayMs) rmSync(folder, { recursive: true, force: true })
}

/** The folder of the bundle, which is made once for all processes of these sources. */
function bundle(): string {
  const paths = globSync(['src/**/*.ts', 'package-lock.json', 'test/cli/support/bundle-sources.ts'], {
    cwd: root,
  })
  const folder = join(bundles, printOf(paths.toSorted()))
  if (existsSync(folder)) return folder
  mkdirSync(bundles, { recursive: true })
  for (const name of readdirSync(bundles)) removeOld(join(bundles, name))
  const draft = mkdtempSync(join(bundles, 'draft-'))
  execFileSync(process.execPath, [bundler, draft], { stdio: 'pipe' })
  try {
    renameSync(draft, folder)
  } catch (error) {
    // Another process of the tests was faster.
    rmSync(draft, { recursive: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

let made: string | undefined

/** The address of the module that runs the bundle in place of the sources. */
const hook = () => pathToFileURL(join((made ??= bundle()), 'hook.mjs')).href

/**
 * Flags of Node with which the launcher runs a bundle of the sources. Node loads the 700 modules of a run one by one, which takes
 * longer than what most tests ask of the process.
 */
export const bundleFlags = (): string[] => ['--import', hook()]

/** From now on, the threads that a sweep in this process starts run the bundle. */
export async function bundleThreads(): Promise<void> {
  await import(hook())
}
