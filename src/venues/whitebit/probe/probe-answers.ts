import { z } from 'zod'
import { privateError, saysGone } from '#src/venues/whitebit/contract/wire/refusals.ts'
import {
  inverted,
  namedOrderNames,
  orderNames,
  respell,
  respellProblems,
} from '#src/venues/whitebit/contract/wire/spelling.ts'
import type { Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import type { ProbeAnswer } from './experiment.ts'

/** Readers of raw answers. They know both spellings, and do not judge what an answer proves. */

export type ProbeRefusal = { code: number; message: string; errors: Problems; names: readonly string[] }

const placed = z.looseObject({
  order_id: z.int().min(1),
  client_order_id: z.string().default(''),
  market: z.string(),
  side: z.string(),
  price: z.string().default(''),
  amount: z.string(),
  status: z.string().default(''),
  deal_stock: z.string().default('0'),
  postOnly: z.boolean().optional(),
})
export type ProbedOrder = z.output<typeof placed>
export type BulkElement = { order?: ProbedOrder; refusal?: ProbeRefusal }

const element = z.looseObject({ result: z.unknown().optional(), error: z.unknown().optional() })
const ourNames = inverted({ ...namedOrderNames, ...orderNames })

export function refusalIn(body: unknown): ProbeRefusal | undefined {
  const read = privateError.safeParse(body)
  if (!read.success) return undefined
  const { code, message, errors = {} } = read.data
  const problems = Array.isArray(errors) ? {} : errors
  return { code, message, errors: respellProblems(problems, ourNames), names: Object.keys(problems) }
}

/** The elements of the answer to a bulk; undefined if the answer is none of a bulk. */
export function elementsIn({ status, body }: ProbeAnswer): BulkElement[] | undefined {
  if (status < 200 || status > 299 || !Array.isArray(body)) return undefined
  return body.map((each) => {
    const { result, error } = element.safeParse(each).data ?? {}
    const [order, refusal] = [orderIn(result), refusalIn(error)]
    return { ...(order && { order }), ...(refusal && { refusal }) }
  })
}

/** The order of an answer about one order; undefined if the answer is none of that kind. */
export function onlyOrderIn({ status, body }: ProbeAnswer): ProbedOrder | undefined {
  return status < 200 || status > 299 ? undefined : orderIn(body)
}

function orderIn(value: unknown): ProbedOrder | undefined {
  return placed.safeParse(respell(value, ourNames)).data
}

/** The orders of a list; undefined if the answer is no list of orders. */
export function ordersIn({ status, body }: ProbeAnswer): ProbedOrder[] | undefined {
  if (status !== 200 || !Array.isArray(body)) return undefined
  return body.flatMap((each) => orderIn(each) ?? [])
}

const finished = z.record(
  z.string(),
  z.array(z.looseObject({ id: z.union([z.number(), z.string()]).transform(String) })),
)

/** The ids of ended orders in the history, over all markets. */
export function historyIds({ body }: ProbeAnswer): Set<string> {
  const lists = finished.safeParse(body).data ?? {}
  return new Set(Object.values(lists).flatMap((list) => list.map(({ id }) => id)))
}

export function refusalText({ code, message, errors }: ProbeRefusal): string {
  const causes = Object.entries(errors).map(([name, texts]) => `${name}: ${texts.join(' ')}`)
  return `code ${code}, "${[message, ...causes].join('; ')}"`
}

/** The answer in words, where it is none that the experiment knows. */
export function answerText(answer: ProbeAnswer): string {
  const refusal = refusalIn(answer.body)
  if (refusal) return `the venue refused with status ${answer.status}, ${refusalText(refusal)}`
  return `the answer with status ${answer.status} has another format`
}

/** The venue does not offer the call, at least not to this key. */
export function isDenied({ status }: ProbeAnswer): boolean {
  return status === 403 || status === 404
}

/** A refusal because the order is not open, as the bot reads it. */
export function isGone({ code, message, errors }: ProbeRefusal): boolean {
  return saysGone(code, [message, ...Object.values(errors).flat()].join('; '))
}

const idTakenCode = 36

/** A refusal because of the client order id. */
export function isAboutId({ code, errors }: ProbeRefusal): boolean {
  return code === idTakenCode || Object.hasOwn(errors, 'client_order_id')
}
