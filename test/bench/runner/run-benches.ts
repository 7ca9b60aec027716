import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFigures, type Figures } from './figures.ts'

export type BenchRun = {
  folder: string
  names: readonly string[]
  /** Words that a benchmark gets. */
  words: Readonly<Record<string, readonly string[]>>
  /** The document that gets the figures. */
  document: string
  date: string
  /** Rows as JSON lines. Then the document stays as it is. */
  json: boolean
  onOutput: (text: string) => void
}

/** Runs benchmarks one after the other. Gives the names of those that missed their goal. */
export async function runBenches(run: BenchRun): Promise<string[]> {
  const missed: string[] = []
  for (const name of run.names) {
    if (!run.json) run.onOutput(`\n${name}\n`)
    const figures = await measured(run, name)
    if (!figures.isMet) missed.push(name)
    if (run.json) continue
    // After each of them: all together take an hour.
    writeFileSync(run.document, withFigures(readFileSync(run.document, 'utf8'), [figures], run.date))
  }
  return missed
}

async function measured({ folder, words, json, onOutput }: BenchRun, name: string): Promise<Figures> {
  const child = spawn(process.execPath, [join(folder, `${name}.ts`), ...(words[name] ?? [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, RUNGS_BENCH_JSON: json ? '1' : '0' },
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    onOutput(text)
  })
  const [code] = await once(child, 'close')
  return { name, output, isMet: code === 0 }
}
