import { z } from 'zod'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { State } from '#src/engine/state/state.ts'
import { cancelFault } from '#src/engine/orders/cancel-by-operator.ts'
import { writeOffFault } from '#src/engine/account/write-off.ts'
import { isFrozen } from '#src/engine/rules/halts.ts'
import { keysOf } from '#src/core/objects/objects.ts'
import { suggestion } from '#src/core/yaml/suggestion.ts'

const reason = z.string().min(1).max(500)
const name = z.string().min(1).max(64)
/** Freezes exits too. */
const freeze = z.boolean().optional()
/** Closes all positions. */
const flatten = z.boolean().optional()
const number = z.string().regex(/^\d{1,15}(?:\.\d{1,18})?$/)
const requests = {
  stop: z.strictObject({ reason, freeze }),
  halt: z.strictObject({ strategy: name.nullable(), reason, freeze, flatten }),
  pause: z.strictObject({ strategy: name.nullable(), reason }),
  resume: z.strictObject({ strategy: name.nullable(), reason }),
  cancel: z.strictObject({ order: z.string().min(1).max(200), reason }),
  resolve: z.strictObject({ order: name, as: z.enum(['placed', 'absent']), reason }),
  'write-off': z.strictObject({
    strategy: name,
    ladder: name,
    amount: number.nullable(),
    price: number,
    reason,
  }),
}

/** Commands of the operator, by the last part of the path. */
export const operatorCommands = keysOf(requests)

export function isOperatorAct(act: string): act is keyof typeof requests {
  return Object.hasOwn(requests, act)
}

export type OperatorCommand = Extract<NewEvent, { kind: 'operator' }>

export function parseOperatorCommand(act: keyof typeof requests, body: unknown): OperatorCommand | undefined {
  const read = requests[act].safeParse(body)
  // The schema is that of the act; the compiler cannot see that for all of them at once.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return read.success ? ({ kind: 'operator', act, ...read.data } as OperatorCommand) : undefined
}

/** Why the command cannot apply to this state. */
export function operatorCommandFault(state: State, act: OperatorCommand): string | undefined {
  if ('strategy' in act && act.strategy !== null && !Object.hasOwn(state.strategies, act.strategy)) {
    const names = Object.keys(state.strategies)
    return `there is no strategy ${act.strategy}, only ${names.join(', ')}${suggestion(act.strategy, names)}`
  }
  if (act.act === 'cancel') return cancelFault(state, act.order)
  if (act.act === 'write-off') return writeOffFault(state, act)
  if (act.act === 'halt' && act.flatten === true) return flattenFault(state, act.strategy)
  if (!('order' in act)) return undefined
  const investing = Object.values(state.strategies).find((own) => own.investing?.id === act.order)?.investing
  if (investing) return investing.isDoubtful ? undefined : `the investment ${act.order} is in flight`
  const status = Object.hasOwn(state.orders, act.order) ? state.orders[act.order]?.status : undefined
  if (status === undefined) {
    const doubtful = Object.keys(state.orders).filter((id) => state.orders[id]?.status === 'doubtful')
    const inDoubt =
      doubtful.length === 0
        ? 'no order has an unknown outcome'
        : `orders with unknown outcome: ${doubtful.join(', ')}`
    return `there is no active order ${act.order}; ${inDoubt}${suggestion(act.order, doubtful)}`
  }
  return status === 'doubtful'
    ? undefined
    : `the outcome of order ${act.order} is known: it is ${status}; fix: explain the order with: rungs why ${act.order}`
}

/** Why no position can be closed. */
function flattenFault(state: State, strategy: string | null): string | undefined {
  if (strategy === null) return undefined
  if (!state.running.includes(strategy))
    return `${strategy} does not run: start its file to close its positions`
  if (!isFrozen(state)) return undefined
  return `the exits of all strategies are frozen (${state.stopped}): flatten all strategies, or run rungs resume first`
}
