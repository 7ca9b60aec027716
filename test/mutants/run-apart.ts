import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs Node in a process group of its own, and ends all of it when nothing is printed for so long. */
export async function runApart(
  words: readonly string[],
  about: {
    hangsMs: number
    env?: NodeJS.ProcessEnv
    input?: string
    /** Told each line of the standard output. */
    onLine?: (line: string) => void
  },
): Promise<{ output: string; isHanging: boolean }> {
  const { hangsMs, env = {}, input = '', onLine } = about
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', ...env },
    detached: true,
  })
  let output = ''
  let rest = ''
  let isHanging = false
  const end = () => {
    // With the processes that run its tests: one in an endless loop hears no other signal.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
  }
  const hang = () => {
    isHanging = true
    end()
  }
  const stop = () => {
    end()
    process.exit(130)
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  let timer = setTimeout(hang, hangsMs)
  child.stdin.end(input)
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  for await (const text of child.stdout.setEncoding('utf8')) {
    clearTimeout(timer)
    timer = setTimeout(hang, hangsMs)
    output += text
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    if (onLine) lines.forEach(onLine)
  }
  clearTimeout(timer)
  process.off('SIGINT', stop).off('SIGTERM', stop)
  return { output, isHanging }
}
