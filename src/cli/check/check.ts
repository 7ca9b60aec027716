import { realpathSync, statSync } from 'node:fs'
import { usage } from '#src/cli/words/usage.ts'
import { columns, counted } from '#src/cli/words/text.ts'
import { writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { withComputedValues } from '#src/strategy/check/update-tests.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { decimalText } from '#src/core/money/decimal.ts'
import { percentText } from '#src/strategy/schema/quantities.ts'
import type { Preview } from '#src/strategy/check/preview.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { rulesOfWorld } from '#src/cli/files/world-rules.ts'
import type { VenueRules } from '#src/runtime/compose/venue-rules.ts'
import { packagedWorld } from '#src/cli/files/packaged-world.ts'
import { loopMarkets } from './loop-text.ts'
import { previewText } from './preview-text.ts'
import { checkStrategy, faultsOfParts, testDifferencesOf } from '#src/runtime/compose/strategy-check.ts'
import { printed } from '#src/cli/words/printed.ts'
import { schemaText } from '#src/cli/words/schema-text.ts'
import { exitCodeOf, problemsText } from '#src/cli/words/problems-text.ts'
import type { Problem } from '#src/strategy/file/base-files.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'
import { openStrategy } from '#src/runtime/compose/strategy-file.ts'

export type CheckFlags = {
  json?: boolean
  world?: string
  venue?: string
  profile?: 'spec' | 'full'
  schema?: boolean
  updateTests?: boolean
}

/** `rungs check FILE`: validates a file, runs its tests, and prints every rung as it would be placed. */
export async function check(path: string | undefined, flags: CheckFlags): Promise<number> {
  if (flags.schema === true) {
    const { strategyJsonSchema } = await import('#src/strategy/schema/json-schema.ts')
    return printed(schemaText(strategyJsonSchema()))
  }
  if (path === undefined) {
    throw usage('check needs a strategy file', 'Name a file, such as strategies/01-static-grid.yaml')
  }
  for (const other of ['world', 'profile'] as const) {
    if (flags[other] === undefined || flags.venue === undefined) continue
    throw usage(`--${other} and --venue exclude each other`, 'Pass one of them')
  }
  const rules = await rulesFor(flags)
  if (flags.updateTests === true) updateTests(path, rules)
  const { read, sourceOf } = openStrategy(path, (strategy, programs) =>
    faultsOfParts(strategy, programs, rules),
  )
  const { problems, warnings, preview } = Array.isArray(read)
    ? { problems: read, warnings: [], preview: undefined }
    : checkStrategy(read, rules)
  const ok = problems.length === 0
  if (flags.json === true) {
    const shown = { problems: problems.map(shownProblem), warnings: warnings.map(shownProblem) }
    const rungs = preview ? rungsJson(preview) : []
    const parameters = Array.isArray(read) || read.parameters.length === 0 ? {} : parametersJson(read)
    const loops =
      Array.isArray(read) || Object.keys(read.strategy.for_each).length === 0 ? {} : loopsJson(read)
    process.stdout.write(`${JSON.stringify({ ok, ...shown, rungs, ...parameters, ...loops })}\n`)
  } else {
    if (preview && !Array.isArray(read)) process.stdout.write(`${previewText(read, preview)}\n`)
    if (warnings.length > 0) process.stderr.write(`${problemsText(sourceOf, warnings, 'warning')}\n`)
    if (ok) process.stdout.write(`${printable(path)} is valid${unchecked(preview)}.\n`)
    else process.stderr.write(`${problemsText(sourceOf, problems)}\n`)
  }
  return ok ? exitCodes.ok : exitCodeOf(problems)
}

/** Writes the computed values into the tests of the file, and prints each change. */
function updateTests(path: string, rules: VenueRules): void {
  const { read, sourceOf } = openStrategy(path)
  if (Array.isArray(read)) return
  const changes = testDifferencesOf(read, rules).filter(({ computed }) => computed !== undefined)
  if (changes.length === 0) return
  const { text } = sourceOf(read.placed({ path: ['tests'], message: '', hint: '' }))
  // A link stays a link.
  writeWholeFile(realpathSync(path), withComputedValues(text, changes), { mode: statSync(path).mode & 0o777 })
  const lines = changes.map(({ test, path: [, , , ...place], computed }) => [
    `  ${printable(test)}`,
    place.join('.'),
    printable(computed ?? ''),
  ])
  const about = `${printable(path)}: ${counted(changes.length, 'expected value')} updated\n`
  process.stderr.write(
    about +
      columns(lines)
        .map((line) => `${line}\n`)
        .join(''),
  )
}

/** A ladder without a sample cannot be shown. */
function unchecked(preview: Preview | undefined): string {
  const names = preview?.ladders.filter((ladder) => 'missing' in ladder).map(({ name }) => name) ?? []
  return names.length === 0 ? '' : `, except for unchecked ladders: ${names.join(', ')}`
}

/** The rules of a venue, or else of the embedded exchange with a world. */
export async function rulesFor({
  venue,
  world = packagedWorld,
  profile = 'full',
}: Pick<CheckFlags, 'venue' | 'world' | 'profile'>): Promise<VenueRules> {
  if (venue === undefined) return rulesOfWorld(world, profile)
  const { rulesOfVenue } = await import('./venue-rules.ts')
  return rulesOfVenue(venue)
}

function rungsJson({ placed: ladders }: Preview) {
  return ladders.flatMap(({ name, file, placed, edges }) =>
    placed.rungs.map((rung) => {
      const edge = edges.get(rung)
      return {
        ladder: name,
        market: file.market,
        level: rung.level,
        side: rung.side,
        price: decimalText(rung.price),
        amount: decimalText(rung.amount),
        notional: decimalText(rung.notional),
        resting: placed.resting.has(rung),
        ...(edge === undefined ? {} : { edge: percentText(edge.net) }),
      }
    }),
  )
}

function parametersJson({ parameters }: Read) {
  return {
    parameters: parameters.map(({ name, default: value, values, isUsed }) => {
      return {
        name,
        default: value,
        values: values.length,
        first: values[0],
        last: values.at(-1),
        used: isUsed,
      }
    }),
  }
}

function loopsJson({ strategy }: Read) {
  const loops = Object.keys(strategy.for_each)
  return { loops: loops.map((variable) => ({ variable, markets: loopMarkets(strategy, variable) })) }
}

function shownProblem({ line, column, message, hint, file }: Problem) {
  return { line, column, message, hint, file }
}
