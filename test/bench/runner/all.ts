import { fileURLToPath } from 'node:url'
import { runBenches } from './run-benches.ts'

/**
 * `npm run bench [-- NAME…]`: all benchmarks, or these, one after the other. One that misses its goal stops no other, and is
 * named at the end. The figures go into docs/performance.md.
 */
const all = [
  'start client exchange matching past-market backtest work peers ladder limiter tick ingest',
  'steps journal tape replay sweep dashboard load market',
].join(' ')
/** Less than a hundred million rows, which take minutes and five gigabytes, and less than a minute of load. */
const shorter = { market: ['10'], load: ['--seconds', '20'] }
const asked = process.argv.slice(2)
const missed = await runBenches({
  folder: fileURLToPath(new URL('..', import.meta.url)),
  names: asked.length > 0 ? asked : all.split(' '),
  words: shorter,
  document: fileURLToPath(new URL('../../../docs/performance.md', import.meta.url)),
  date: new Date().toISOString().slice(0, 10),
  onOutput: (text) => process.stdout.write(text),
})
process.stdout.write(missed.length === 0 ? '\nall goals met\n' : `\ngoals missed: ${missed.join(', ')}\n`)
process.exitCode = missed.length === 0 ? 0 : 1
