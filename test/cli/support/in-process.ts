import { vi } from 'vitest'
import { z } from 'zod'
import { reportError } from '#src/cli/program/error-text.ts'
import { run } from '#src/cli/program/command-line.ts'
import { noSecretIn } from '#test/security/leak-watch.ts'
import { bundleThreads } from './bundled-program.ts'
import { environment, type Ended } from './process.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
let before: Promise<unknown> = Promise.resolve()

/**
 * `rungs` in this process: the same output and exit code without starting Node. Tests of signals, pipes and exits start a
 * process. Calls run one after the other, since they write to the same two streams.
 */
export function rungsHere(words: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const ended = before.then(() => runHere(words, more))
  before = ended.catch(() => {})
  return ended
}

async function runHere(words: readonly string[], more: NodeJS.ProcessEnv): Promise<Ended> {
  if (words[0] === 'sweep') await bundleThreads()
  const { env } = process
  const said = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += String(text)
      return true
    }),
  )
  const listeners = signals.map((signal) => process.listeners(signal))
  process.env = environment(more)
  try {
    const code = await run(words).catch(reportError)
    for (const [name, text] of Object.entries(said)) noSecretIn(text, `${name} of rungs ${words[0]}`)
    return { code, ...said }
  } finally {
    process.env = env
    // A refused command would keep its signal handlers in this process.
    for (const [index, signal] of signals.entries())
      for (const listener of process.listeners(signal))
        if (listeners[index]?.includes(listener) !== true) process.off(signal, listener)
    // Short commands use uncompiled schemas, which all later tests would get.
    z.config({ jitless: false })
    for (const spy of spies) spy.mockRestore()
  }
}
