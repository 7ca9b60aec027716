import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { mutationsOf, type Mutation } from './operators.ts'

/** Files that the mutation run changes, and the tests that must notice it: those of the next list if the first ones did not. */
type Scope = { files: readonly string[]; suites: readonly (readonly string[])[] }

export const scopes: Readonly<Record<string, Scope>> = {
  money: {
    files: ['src/core/money/*.ts'],
    suites: [
      ['test/core/money'],
      ['test/market/ladder', 'test/properties/engine/ladder.test.ts', 'test/properties/order-text.test.ts'],
    ],
  },
  ladder: {
    files: ['src/market/ladder/*.ts'],
    suites: [
      ['test/market/ladder'],
      ['test/properties/engine/ladder.test.ts', 'test/properties/engine/tick-ladder.test.ts'],
    ],
  },
  outcome: {
    files: [
      'src/venues/whitebit/client/answers/{answer,bulk-answer,outcome,partial-answer}.ts',
      'src/venues/whitebit/contract/codec/*.ts',
    ],
    suites: [
      [
        'test/venues/whitebit/contract/codec/{any-schema,shape,text-writer,value-reader}.test.ts',
        'test/venues/whitebit/client/answers/{answer,bulk-answer,partial-answer}.test.ts',
      ],
      [
        'test/venues/whitebit/contract/codec/text-reader.test.ts',
        'test/venues/whitebit/client/calls/resubmission.test.ts',
      ],
    ],
  },
  search: {
    files: ['src/runtime/execute/resolve-unknown.ts', 'src/venues/whitebit/adapter/submit-orders.ts'],
    suites: [
      [
        'test/venues/whitebit/adapter/submit-orders.test.ts',
        'test/runtime/execute/{resolve-unknown,search-progress}.test.ts',
      ],
      ['test/runtime/account/{partial-answers,unreadable-order}.test.ts'],
    ],
  },
  doubt: {
    files: ['src/engine/orders/{answers,unknown-orders}.ts'],
    suites: [
      ['test/engine/orders/*.test.ts', 'test/engine/ladder/slide.test.ts'],
      ['test/engine/**/*.test.ts'],
    ],
  },
  risk: {
    files: ['src/engine/risk/*.ts', 'src/engine/account/account-limits.ts'],
    suites: [
      ['test/engine/risk/*.test.ts', 'test/engine/account/account-limits.test.ts'],
      ['test/properties/engine/{exposure,risk-gate}.test.ts', 'test/properties/account-gate.test.ts'],
      ['test/engine/**/*.test.ts'],
    ],
  },
  nonce: {
    files: ['src/venues/whitebit/client/calls/{nonces,nonce-file,recent-calls}.ts'],
    suites: [
      ['test/venues/whitebit/client/calls/{nonces,nonce-clock,nonce-shared,recent-calls,call-queue}.test.ts'],
    ],
  },
  journal: {
    files: ['src/core/log/*.ts', 'src/journal/**/*.ts'],
    suites: [
      ['test/core/log/*.test.ts', 'test/journal/{history,moved,port,read-error,schema}.test.ts'],
      ['test/journal/{damage,journal}.test.ts'],
      ['test/journal/{engine,durable,processes}.test.ts', 'test/golden/journals.test.ts'],
    ],
  },
}

/** A mutation of the run: `scope` names its row. */
export type PlacedMutation = Mutation & {
  id: string
  scope: string
  path: string
  /** The line before and after, or the changed part of it. */
  before: string
  after: string
}

/** Every mutation of the scopes, in the order of the files. */
export function allMutations(): PlacedMutation[] {
  return Object.entries(scopes).flatMap(([scope, { files }]) =>
    globSync([...files])
      .sort()
      .flatMap((path) => placedIn(scope, path)),
  )
}

function placedIn(scope: string, path: string): PlacedMutation[] {
  const text = readFileSync(path, 'utf8')
  return mutationsOf(text).map((mutation) => {
    const { operator, start, end, to } = mutation
    const lineStart = text.lastIndexOf('\n', start) + 1
    const lineEnd = text.indexOf('\n', start)
    const line = text.slice(0, start).split('\n').length
    const after = text.slice(lineStart, start) + to + (end <= lineEnd ? text.slice(end, lineEnd) : ' …')
    const id = `${path}:${line}:${start - lineStart + 1}+${end - start} ${operator} ${to}`
    const before = text.slice(lineStart, lineEnd).trim()
    return { operator, start, end, to, id, scope, path, before, after: after.trim() }
  })
}

/** The test files of each list of suites. */
export function suitesOf(scope: string): string[][] {
  const { suites = [] } = scopes[scope] ?? {}
  return suites.map((some) =>
    globSync(some.map((pattern) => (pattern.endsWith('/') ? `${pattern}*.test.ts` : pattern))).sort(),
  )
}

/** Whether a sample of this share, drawn with this seed, has the mutation. It does not depend on the other mutations. */
export function isSampled({ path, before, after }: PlacedMutation, share: number, seed: string): boolean {
  const digest = hash('sha256', `${seed}\n${path}\n${before}\n${after}`)
  return Number.parseInt(digest.slice(0, 8), 16) < share * 2 ** 32
}
