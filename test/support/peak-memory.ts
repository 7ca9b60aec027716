import { existsSync, readFileSync } from 'node:fs'

const status = '/proc/self/status'

/**
 * The most memory that this process has used, in MiB. On Linux, `maxRSS` of a new process begins with the memory of the process
 * that started it, which can be larger.
 */
export function peakMebibytes(): number {
  const own = existsSync(status) ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1] : undefined
  return (own === undefined ? process.resourceUsage().maxRSS : Number(own)) / 1024
}
