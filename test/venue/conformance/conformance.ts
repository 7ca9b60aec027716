import { test } from 'vitest'
import { cancelCases, submitCases, type ConformanceCase } from './order-cases.ts'
import { singleCases } from './single-order-cases.ts'
import { accountCases, marketCases } from './read-cases.ts'
import type { Feature, Subject } from './subject.ts'

export const conformanceCases: readonly ConformanceCase[] = [
  ...submitCases,
  ...singleCases,
  ...cancelCases,
  ...accountCases,
  ...marketCases,
]

/** Runs each case that the adapter declares the features of, at a fresh venue. */
export function conforms(declares: ReadonlySet<Feature>, open: () => Promise<Subject>): void {
  const declared = conformanceCases.filter(({ needs = [] }) => needs.every((need) => declares.has(need)))
  test.each(declared)('$id $title', async ({ run }) => {
    const subject = await open()
    try {
      await run(subject)
    } finally {
      await subject.close()
    }
  })
}
