/**
 * Plays random strategies by an engine that drops all log events, and prints what it sends for each seed as JSON:
 *
 *   node test/research/backtest/jump/without-log.ts 1 5
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const target = new URL('../../../../src/engine/step-context.ts', import.meta.url).href
const [kept, dropped] = [
  'const notes: BotEvent[] = []',
  'const notes = Object.assign([], { push: () => {} })',
]

registerHooks({
  load(url, context, next) {
    if (url !== target) return next(url, context)
    const source = readFileSync(fileURLToPath(url), 'utf8')
    if (!source.includes(kept)) throw new Error(`${target} has no "${kept}"`)
    return { format: 'module-typescript', source: source.replace(kept, dropped), shortCircuit: true }
  },
})

const { played } = await import('./step-everywhere.ts')
const { randomInput } = await import('#test/research/backtest/jump/random/random-strategy.ts')
const [from = 1, to = from] = process.argv.slice(2).map(Number)
for (let seed = from; seed <= to; seed++) {
  const { sent, notes } = await played(randomInput(seed))
  if (notes.length > 0) throw new Error('the engine has kept log events')
  process.stdout.write(`${JSON.stringify(sent)}\n`)
}
