import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** All of them, one after the other. One that misses its mark keeps nobody from being measured, and is named at the end. */
const names =
  'client exchange matching past-market backtest ladder limiter tick ingest steps journal tape replay sweep desk load market'
/** Less than a hundred million rows, which take minutes and five gigabytes, and less than a minute of load. */
const shorter: Partial<Record<string, readonly string[]>> = { market: ['10'], load: ['--seconds', '20'] }
const missed = names.split(' ').filter((name) => {
  process.stdout.write(`\n${name}\n`)
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  return spawnSync(process.execPath, [file, ...(shorter[name] ?? [])], { stdio: 'inherit' }).status !== 0
})
process.stdout.write(
  missed.length === 0 ? '\nall as they must be\n' : `\nnot as they must be: ${missed.join(', ')}\n`,
)
process.exitCode = missed.length === 0 ? 0 : 1
