/** Prints a figure with what it must be. One that misses it gives the benchmark a non-zero exit code. */
export function tell(
  what: string,
  found: string,
  { must, goal, isMet }: { must: string; goal: string; isMet: boolean },
): void {
  process.stdout.write(
    `${what.padEnd(46)} ${found.padEnd(46)} must ${must}, goal ${goal}${isMet ? '' : '  MISSED'}\n`,
  )
  if (!isMet) process.exitCode = 1
}
