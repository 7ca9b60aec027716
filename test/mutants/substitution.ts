import type { Mutant } from './mutant.ts'
import { mutants } from './mutants.ts'

/** The mutant that RUNGS_MUTANT names; undefined where none is wanted. */
export function wantedMutant(): Mutant | undefined {
  const wanted = process.env['RUNGS_MUTANT']
  if (wanted === undefined) return undefined
  const mutant = mutants.find(({ id }) => id === wanted)
  if (mutant === undefined) throw new Error(`RUNGS_MUTANT names no mutant: ${wanted}`)
  return mutant
}

/** The text of its file with the defect in it. */
export function mutated({ id, file, find, replace }: Mutant, text: string): string {
  const parts = text.split(find)
  if (parts.length !== 2) throw new Error(`${id} matches ${parts.length - 1} times in ${file}`)
  return parts.join(replace)
}
