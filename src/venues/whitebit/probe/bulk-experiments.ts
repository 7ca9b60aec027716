import { answerText, elementsIn, refusalIn, refusalText, type ProbeRefusal } from './probe-answers.ts'
import { notFound, type ProbeAnswer, type ProbeResult, type ProbeSteps } from './experiment.ts'
import { elementText } from './order-experiments.ts'
import { farOrder, refusedOrder, usualAwayPercent, type ProbeOrder, type ProbePlace } from './probe-orders.ts'

/** Experiments about bulks of several orders. */

const batchTriedMax = 40

export function* batchMax(place: ProbePlace): ProbeSteps {
  const about = 'batchMax'
  let [least, most] = [0, batchTriedMax + 1]
  let refused: ProbeRefusal | undefined
  while (most - least > 1) {
    const count = least === 0 ? (most > batchTriedMax ? batchTriedMax : 1) : Math.floor((least + most) / 2)
    const orders = Array.from({ length: count }, (_, index) =>
      refusedOrder(place, `batch.${index}`, usualAwayPercent),
    )
    const answer = yield { do: 'place', orders, stopOnFail: false }
    const refusal = refusalIn(answer.body)
    if (elementsIn(answer)?.length === count) least = count
    else if (refusal === undefined || count === 1) return notFound(about, answerText(answer))
    else [most, refused] = [count, refusal]
  }
  const found =
    refused === undefined
      ? `the venue accepts ${least} orders in a bulk; the probe sends no more`
      : `the venue accepts ${least} orders in a bulk and refuses ${most}: ${refusalText(refused)}`
  return {
    about,
    value: refused === undefined ? `${least} or more` : String(least),
    found,
    means: 'a strategy places more orders in several requests',
    settings: { batchMax: String(least) },
  }
}

export function* stoppedBulk(place: ProbePlace, away: number): ProbeSteps {
  const orders = (label: string): ProbeOrder[] => [
    farOrder(place, `${label}.1`, away),
    refusedOrder(place, `${label}.2`, away),
    farOrder(place, `${label}.3`, away),
  ]
  const free = yield { do: 'place', orders: orders('free'), stopOnFail: false }
  const [one, two, three] = elementsIn(free) ?? []
  if (!one?.order || !two?.refusal) return bothNotFound(elementText(free))
  for (const { order } of [one, three ?? {}]) if (order) yield { do: 'cancel', orderId: order.order_id }
  const goesOn = three?.order !== undefined
  const failed = {
    about: 'failedElement',
    value: goesOn ? 'continues' : 'stops',
    found: goesOn
      ? 'without stopOnFail, the venue places the orders behind a refused one'
      : 'without stopOnFail, the venue places no order behind a refused one',
    means: goesOn
      ? 'each order of a bulk has its own result'
      : 'orders behind a refused one are placed again later',
  } as const
  const stopped = yield { do: 'place', orders: orders('stop'), stopOnFail: true }
  return [failed, shapeOfStop(stopped)]
}

const stopShapes = {
  absent: 'the answer ends before the refused order',
  included: 'the answer ends with the error of the refused order',
  full: 'the answer has an error for the refused order and for each order behind it',
  ignored: 'the venue ignores stopOnFail: it placed the order behind the refused one',
} as const

function shapeOfStop(answer: ProbeAnswer): ProbeResult {
  const about = 'stopOnFailAnswer'
  const elements = elementsIn(answer)
  const [one, two, three] = elements ?? []
  if (!one?.order) return notFound(about, elementText(answer))
  const isFirstError = two?.refusal !== undefined
  let value: keyof typeof stopShapes | undefined
  if (elements?.length === 1) value = 'absent'
  else if (elements?.length === 2 && isFirstError) value = 'included'
  else if (elements?.length === 3 && isFirstError && three?.refusal) value = 'full'
  else if (elements?.length === 3 && isFirstError && three?.order) value = 'ignored'
  if (value === undefined) return notFound(about, elementText(answer))
  return {
    about,
    value,
    found: `with stopOnFail, ${stopShapes[value]}`,
    means: value === 'ignored' ? 'do not use stop_on_fail there' : 'the client reads stopped bulks this way',
    settings: { stopOnFailAnswer: value === 'ignored' ? 'unproven' : value },
  }
}

function bothNotFound(why: string): ProbeResult[] {
  return [notFound('failedElement', why), notFound('stopOnFailAnswer', why)]
}
