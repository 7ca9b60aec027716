import { fileURLToPath } from 'node:url'
import { runBenches } from './run-benches.ts'

/**
 * `npm run bench [-- NAME…] [--json]`: all benchmarks, or these, one after the other. One that misses its goal stops no
 * other, and is named at the end. The figures go into docs/performance.md, or with --json to standard output only.
 */
const all = [
  'start client exchange matching past-market backtest work peers ladder limiter tick ingest',
  'steps journal tape replay sweep dashboard load market',
].join(' ')
/** Less than a hundred million rows, which take minutes and five gigabytes, and less than a minute of load. */
const shorter = { market: ['10'], load: ['--seconds', '20'] }
const words = process.argv.slice(2)
const [json, asked] = [words.includes('--json'), words.filter((word) => word !== '--json')]
const unknown = asked.find((word) => !all.split(' ').includes(word))
if (unknown !== undefined) {
  process.stderr.write(`no benchmark has this name: ${unknown} (npm run bench)\n`)
  process.stderr.write(`fix: use names of this list, or --json: ${all}\n`)
  process.exit(2)
}
const missed = await runBenches({
  folder: fileURLToPath(new URL('..', import.meta.url)),
  names: asked.length > 0 ? asked : all.split(' '),
  words: shorter,
  document: fileURLToPath(new URL('../../../docs/performance.md', import.meta.url)),
  date: new Date().toISOString().slice(0, 10),
  json,
  onOutput: (text) => process.stdout.write(text),
})
const summary = missed.length === 0 ? '\nall goals met\n' : `\ngoals missed: ${missed.join(', ')}\n`
if (json) process.stderr.write(summary)
else process.stdout.write(summary)
process.exitCode = missed.length === 0 ? 0 : 1
