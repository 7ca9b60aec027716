import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const measured = z.object({ cpuMs: z.number() })
const fills = z.array(z.string())

/** A program in this folder. */
export const programFile = (name: string) => fileURLToPath(new URL(name, import.meta.url))

export const rungsProgram = fileURLToPath(new URL('rungs-grid.ts', import.meta.url))

/** A process that keeps its market in memory and runs its backtest at each request. */
export class Contender {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor([command = '', ...words]: readonly string[]) {
    const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] })
    // A process that has ended gives no line, which is the error that counts.
    child.stdin.on('error', () => {})
    this.#child = child
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  }

  /** CPU time of a backtest. */
  async run(): Promise<number> {
    return measured.parse(await this.#ask('run')).cpuMs
  }

  /** The fills of the last backtest, in order. */
  async fills(): Promise<string[]> {
    return fills.parse(await this.#ask('fills'))
  }

  async close(): Promise<void> {
    const closed = once(this.#child, 'close')
    this.#child.stdin?.end()
    if (this.#child.exitCode === null && this.#child.signalCode === null) await closed
  }

  async #ask(word: string): Promise<unknown> {
    this.#child.stdin?.write(`${word}\n`)
    const { value, done } = await this.#lines.next()
    if (done === true) throw new Error(`${this.#child.spawnargs.join(' ')} has ended`)
    return JSON.parse(value)
  }
}

/** CPU time of a whole process and of its children. */
export function wholeCpuMs(python: string, command: readonly string[]): number {
  return Number(execFileSync(python, [programFile('cpu_of.py'), ...command], { encoding: 'utf8' }))
}
