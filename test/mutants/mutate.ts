import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { mutants } from './mutants.ts'

/** Loaded before the program: replaces the text of the mutant that RUNGS_MUTANT names while its file is loaded. */
const mutant = mutants.find(({ id }) => id === process.env['RUNGS_MUTANT'])
if (mutant === undefined) throw new Error(`RUNGS_MUTANT names no mutant: ${process.env['RUNGS_MUTANT']}`)
const root = new URL('../../', import.meta.url)
const target = new URL(mutant.file, root).href

registerHooks({
  load(url, context, next) {
    if (url !== target) return next(url, context)
    const text = readFileSync(fileURLToPath(url), 'utf8')
    return { format: 'module-typescript', source: mutated(text), shortCircuit: true }
  },
})

function mutated(text: string): string {
  if (mutant === undefined) return text
  const { file, find, replace, id } = mutant
  const parts = text.split(find)
  if (parts.length !== 2) throw new Error(`${id} matches ${parts.length - 1} times in ${file}`)
  return parts.join(replace)
}
