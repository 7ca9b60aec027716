import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { noSecretIn } from '#test/security/leak-watch.ts'

export const launcher = fileURLToPath(new URL('../../../src/rungs.mjs', import.meta.url))
const listening = z.strictObject({
  event: z.literal('listening'),
  url: z.string(),
  euUrl: z.string(),
  wsUrl: z.string(),
})

export type Ended = { code: number; stdout: string; stderr: string }

/** Without the variables that would change what is tested. */
export function environment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:RUNGS_|NODE_OPTIONS|FORCE_COLOR)/.test(name),
  )
  // The compiler's cache halves the start of a process.
  return { ...Object.fromEntries(own), NODE_COMPILE_CACHE: join(tmpdir(), 'rungs-compile-cache'), ...more }
}

/** Runs the program to its end, without a terminal. */
export function rungs(words: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const ended = new Promise<Ended>((resolve) => {
    const child = execFile(
      process.execPath,
      [launcher, ...words],
      { env: environment(more) },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
        resolve({ code, stdout, stderr })
      },
    )
    child.stdin?.end()
  })
  return ended.then(({ code, stdout, stderr }) => ({
    code,
    stdout: noSecretIn(stdout, 'stdout'),
    stderr: noSecretIn(stderr, 'stderr'),
  }))
}

export type Exchange = z.output<typeof listening> & {
  /** The first line of stdout, to the letter. */
  line: string
  /** The first group of a pattern, as soon as stderr has it. */
  heard(pattern: RegExp): Promise<string>
  /** Stops it in its tracks with SIGSTOP, or lets it go on with SIGCONT. */
  signal(signal: NodeJS.Signals): void
  /** Sends a signal and tells how the process ended and what it had said on stderr. */
  end(signal?: NodeJS.Signals): Promise<{ code: number | null; stderr: string }>
  [Symbol.asyncDispose](): Promise<void>
}

/** The embedded exchange in a process of its own, on any free ports. */
export async function startExchange(words: readonly string[] = []): Promise<Exchange> {
  const child = spawn(process.execPath, [launcher, 'exchange', '--port', '0', ...words], {
    env: environment({}),
  })
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
      // A test that failed may have left it standing still, and then it would never hear the other signal.
      child.kill('SIGCONT')
      await end()
    },
  }
}

/** A folder that is gone with the test. */
export function temporaryFolder(): { path: string; file: (name: string) => string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'rungs-cli-'))
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  }
}
