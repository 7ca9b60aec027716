import { execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { noSecretIn } from '#test/security/leak-watch.ts'
import { bundleFlags } from './bundled-program.ts'

export const launcher = fileURLToPath(new URL('../../../src/rungs.mjs', import.meta.url))
const listening = z.strictObject({
  event: z.literal('listening'),
  url: z.string(),
  euUrl: z.string(),
  wsUrl: z.string(),
})

export type Ended = { code: number; stdout: string; stderr: string }

/** Environment without variables that affect the tests. */
export function environment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:RUNGS_|NODE_OPTIONS|FORCE_COLOR)/.test(name),
  )
  // The compile cache halves the start time of a process.
  return { ...Object.fromEntries(own), NODE_COMPILE_CACHE: join(tmpdir(), 'rungs-compile-cache'), ...more }
}

/** Arguments of Node that run the program as a bundle of its sources, which takes half the time of a start from the sources. */
export function programWords(words: readonly string[]): string[] {
  return [...bundleFlags(), launcher, ...words]
}

/** Runs the program, as a bundle of its sources, without a terminal until it ends. */
export function rungs(words: readonly string[], more: NodeJS.ProcessEnv = {}, cwd?: string): Promise<Ended> {
  // A test that looks into the loading of modules means those of the sources.
  const all = more['NODE_OPTIONS'] === undefined ? programWords(words) : [launcher, ...words]
  const ended = new Promise<Ended>((resolve) => {
    const settings = { env: environment(more), cwd }
    const child = execFile(process.execPath, all, settings, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, stdout, stderr })
    })
    child.stdin?.end()
  })
  return ended.then(({ code, stdout, stderr }) => ({
    code,
    stdout: noSecretIn(stdout, 'stdout'),
    stderr: noSecretIn(stderr, 'stderr'),
  }))
}

export type ExchangeProcess = z.output<typeof listening> & {
  /** The first line of stdout. */
  line: string
  /** Waits for a pattern on stderr, and returns its first group. */
  heard(pattern: RegExp): Promise<string>
  /** Freezes the process with SIGSTOP, or continues it with SIGCONT. */
  signal(signal: NodeJS.Signals): void
  /** Sends a signal, and returns the exit code and stderr. */
  end(signal?: NodeJS.Signals): Promise<{ code: number | null; stderr: string }>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A free port for an exchange that ends and starts again. Systems take ports from 32 768 on for listeners that ask for any,
 * so no other test takes this one in the meantime.
 */
async function lastingPort(): Promise<string> {
  const port = randomInt(10_000, 32_000)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isFree) return lastingPort()
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

/** Arguments of an exchange with all functions and a seeded market, which can start again with its folder and address. */
export async function lastingExchange(folder: string, seed: string | number = 1): Promise<string[]> {
  const port = await lastingPort()
  return `--port ${port} --profile full --market seeded --seed ${seed} --data`.split(' ').concat(folder)
}

/** The embedded exchange in a separate process, on free ports. */
export async function startExchange(words: readonly string[] = []): Promise<ExchangeProcess> {
  const all = programWords(['exchange', '--port', '0', ...words])
  const child = spawn(process.execPath, all, { env: environment({}) })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code))
  })
  const lines = createInterface({ input: child.stdout })
  const line = await Promise.race([
    new Promise<string>((resolve) => {
      lines.once('line', resolve)
    }),
    ended.then((code) => {
      throw new Error(`the exchange ended with ${code}: ${stderr}`)
    }),
  ])
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return { code: await ended, stderr: noSecretIn(stderr, 'stderr of the exchange') }
  }
  return {
    ...listening.parse(JSON.parse(line)),
    line,
    async heard(pattern) {
      for (;;) {
        const found = pattern.exec(stderr)?.[1]
        if (found !== undefined) return found
        await once(child.stderr, 'data')
      }
    },
    signal: (signal) => void child.kill(signal),
    end,
    [Symbol.asyncDispose]: async () => {
      // A failed test may have frozen the process, which would not receive another signal.
      child.kill('SIGCONT')
      await end()
    },
  }
}

/** A folder that is deleted after the test. */
export function temporaryFolder(): { path: string; file: (name: string) => string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'rungs-cli-'))
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  }
}
