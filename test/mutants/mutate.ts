import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { mutated, wantedMutant } from './substitution.ts'

/** Loaded before a program: it then runs with the mutant that RUNGS_MUTANT names. */
const mutant = wantedMutant()
if (mutant === undefined) throw new Error('RUNGS_MUTANT is not set')
const target = new URL(`../../${mutant.file}`, import.meta.url).href

registerHooks({
  load(url, context, next) {
    if (url !== target) return next(url, context)
    const source = mutated(mutant, readFileSync(fileURLToPath(url), 'utf8'))
    return { format: 'module-typescript', source, shortCircuit: true }
  },
})
