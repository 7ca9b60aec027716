import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { checkWritable, writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { parseYaml } from '#src/core/yaml/yaml-file.ts'
import { venueSchema } from '#src/venues/whitebit/settings/venue-file.ts'
import type { ProbeResult } from '#src/venues/whitebit/probe/experiment.ts'
import { notWritten, onDisk } from '#src/cli/files/named-file.ts'
import { usage } from '#src/cli/words/usage.ts'

const relativeNames = /^(?:keyFile|secretFile|world|prices):/m

/** Refuses a file that cannot be written, before the probe begins. */
export function checkVenueFile(from: string, to: string, overwrite: boolean): void {
  if (resolve(from) === resolve(to))
    throw usage(`${to} is the venue file of the probe itself`, 'Name another file with --write')
  if (existsSync(to) && !overwrite)
    throw usage(`${to} exists`, 'Name another file with --write, or pass --overwrite')
  const isElsewhere = dirname(resolve(from)) !== dirname(resolve(to))
  if (isElsewhere && relativeNames.test(readFileSync(from, 'utf8')))
    throw usage(
      `${to} is not in the folder of ${from}, which names files relative to its folder`,
      `Name a file in ${dirname(from)}`,
    )
  onDisk(to, () => checkWritable(to), notWritten)
}

/** Writes a copy of the venue file with the settings that were found. Its comments stay. */
export function writeVenueFile(
  from: string,
  to: string,
  results: readonly ProbeResult[],
  day: string,
): string[] {
  let text = readFileSync(from, 'utf8')
  const settings = results.flatMap((result) => Object.entries(result.settings ?? {}))
  for (const [key, value] of settings) {
    const line = `${key}: ${value} # found by rungs doctor --probe, ${day}`
    const there = new RegExp(`^${key}:.*$`, 'm')
    text = there.test(text) ? text.replace(there, line) : `${text.trimEnd()}\n${line}\n`
  }
  parseYaml(text, to, venueSchema, { confidential: true })
  onDisk(to, () => writeWholeFile(to, text), notWritten)
  return settings.map(([key]) => key)
}
