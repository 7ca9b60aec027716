import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { noSecretIn } from '#test/security/leak-watch.ts'
import { environment, programWords } from '#test/cli/support/process.ts'

/** A line of `rungs run --json`. */
export type Line = { type: string; at: number } & Readonly<Record<string, unknown>>

export type StartedBot = {
  /** All that it has said so far. */
  lines: readonly Line[]
  /** The first line that fits, now or later. */
  said(fits: (line: Line) => boolean): Promise<Line>
  pid: number
  stderr(): string
  kill(signal: NodeJS.Signals): void
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  [Symbol.asyncDispose](): Promise<void>
}

/** `rungs run WORDS --json` in a process of its own, whose files may grow to so many kilobytes. */
export function startBot(
  words: readonly string[],
  about: { fileKilobytes?: number; environment?: NodeJS.ProcessEnv } = {},
): StartedBot {
  const { fileKilobytes, environment: more = {} } = about
  const command = [process.execPath, ...programWords(['run', ...words, '--json'])]
  // What would be a signal becomes an error of the call.
  const limit = `trap '' XFSZ; ulimit -f ${fileKilobytes}; exec "$0" "$@"`
  const [file = '', ...rest] = fileKilobytes === undefined ? command : ['bash', '-c', limit, ...command]
  const child = spawn(file, rest, { env: environment(more) })
  const lines: Line[] = []
  const waiting = new Set<() => void>()
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (text) => {
    const line: Line = JSON.parse(text)
    lines.push(line)
    for (const look of waiting) look()
  })
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  }).then((end) => {
    for (const text of [stderr, JSON.stringify(lines)]) noSecretIn(text, 'the output of a bot')
    return end
  })
  const lastLines = () => [stderr, ...lines.slice(-5).map((line) => JSON.stringify(line))].join('\n')
  return {
    lines,
    said: (fits) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.find(fits)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
        void ended.then(({ code }) => reject(new Error(`the bot ended with ${code} before: ${lastLines()}`)))
      }),
    pid: Number(child.pid),
    stderr: () => stderr,
    kill: (signal) => void child.kill(signal),
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

const controlFile = z.object({ url: z.string(), token: z.string() })

/** How many calls the bot of this folder has sent so far, by its own count. */
export async function callsSent(stateDir: string): Promise<number> {
  const { url, token } = controlFile.parse(JSON.parse(readFileSync(join(stateDir, 'control.json'), 'utf8')))
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  const counts = (await answer.text()).matchAll(/^rungs_lane_wait_seconds_count\{.*\} (\d+)$/gm)
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Runs a bot until it has told each of these, in any order, and ends it. */
export async function runUntil(
  words: readonly string[],
  ...told: readonly ((line: Line) => boolean)[]
): Promise<{ code: number | null; lines: readonly Line[]; stderr: string }> {
  await using bot = startBot(words)
  for (const fits of told) await bot.said(fits)
  bot.kill('SIGTERM')
  const { code } = await bot.ended
  return { code, lines: bot.lines, stderr: bot.stderr() }
}

export function isType(type: string): (line: Line) => boolean {
  return (line) => line.type === type
}

/** The ids of orders that were accepted, each as often as it was. */
export function acceptedIn(lines: readonly Line[]): string[] {
  return lines.filter(isType('order-accepted')).map(({ order }) => String(order))
}
