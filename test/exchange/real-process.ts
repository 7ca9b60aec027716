import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const listening = z.object({ event: z.literal('listening'), url: z.url() })

export type RealExchange = {
  url: string
  adminUrl: string
  /** Ends the process without notice, like a power cut. */
  kill(): Promise<void>
  /** Stops the process like an operator, and returns its exit code. */
  stop(): Promise<number | null>
}

/** Starts `rungs exchange` in its own process; returns its output if it refuses to start. */
export async function startProcess(
  ...flags: string[]
): Promise<RealExchange | { code: number | null; said: string }> {
  const words = [main, 'exchange', '--port', '0', '--admin', '0', ...flags]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const heardAdmin = new Promise<string>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const found = /clock and deposits: (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  const heardUrl = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).once('line', (line) =>
      resolve(listening.parse(JSON.parse(line)).url),
    )
  })
  const started = await Promise.race([
    Promise.all([heardUrl, heardAdmin]).then(([url, adminUrl]) => ({ url, adminUrl })),
    once(child, 'close').then(() => undefined),
  ])
  if (started === undefined) return { code: child.exitCode, said }
  return {
    ...started,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
      return child.exitCode
    },
  }
}

/** The same, for a start that must succeed. */
export async function startedProcess(...flags: string[]): Promise<RealExchange> {
  const started = await startProcess(...flags)
  if ('said' in started) throw new Error(`the exchange ended with ${started.code}: ${started.said}`)
  return started
}
