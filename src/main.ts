import { complain } from './cli/complaint.ts'
import { run } from './cli/run.ts'

// Whoever reads our output may stop early (`rungs api | head`): that is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  process.exitCode = complain(error)
}
