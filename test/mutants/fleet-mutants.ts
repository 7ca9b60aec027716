import type { Mutant } from './mutant.ts'

/** Defects of a fleet: without any of these rules, two processes can trade for one account. */
export const fleetMutants: readonly Mutant[] = [
  {
    id: 'lease-unasked',
    does: 'sends requests without the lease of its account',
    file: 'src/venues/whitebit/client/calls/dispatcher.ts',
    find: "if (rightMs <= 0) return notSent('aborted', 'This process may no longer trade for its account')",
    replace: '',
    suite: ['test/fleet/simulated-take-overs.test.ts'],
  },
  {
    id: 'epoch-unchecked',
    does: 'confirms records of a process that has lost the lease',
    file: 'test/fleet/simulated/memory-account.ts',
    find: 'lease.epoch === epoch && lease.expires > this.#now() ? lease',
    replace: 'lease.expires > this.#now() ? lease',
    suite: ['test/fleet/simulated-take-overs.test.ts'],
  },
  {
    id: 'epoch-unchecked-sql',
    does: 'confirms records of a process that has lost the lease, in PostgreSQL',
    file: 'src/fleet/postgres-account.ts',
    find: 'AND epoch = $2 AND confirmed = $3 AND link = $8',
    replace: 'AND $2::bigint > 0 AND confirmed = $3 AND link = $8',
    suite: ['test/fleet/server-in-memory.test.ts'],
  },
  {
    id: 'nonces-unawaited',
    does: 'sends requests before the server has its nonces',
    file: 'src/fleet/lease.ts',
    find: 'if (isStored) return',
    replace: 'if (isStored || !isStored) return',
    suite: ['test/fleet/lease.test.ts'],
  },
  {
    id: 'nonces-unlimited',
    does: 'draws nonces above those that the server knows of',
    file: 'src/venues/whitebit/client/calls/nonces.ts',
    find: 'this.#limit = ceiling',
    replace: 'this.#limit = Math.max(ceiling, Infinity)',
    suite: ['test/venues/whitebit/client/calls/right-to-call.test.ts'],
  },
  {
    id: 'nonces-forgotten',
    does: 'continues with the nonces of its own machine after a take-over',
    file: 'src/venues/whitebit/client/calls/passed-nonces.ts',
    find: 'if (trace === undefined) return (own) => own',
    replace: 'return (own) => own',
    suite: ['test/fleet/simulated-take-overs.test.ts'],
  },
]
