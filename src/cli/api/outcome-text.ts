import {
  nonceFix,
  type AnyOutcome,
  type BulkOutcome,
  type NotSent,
  type OrderOutcome,
  type RefusedOutcome,
} from '#src/venues/whitebit/client/answers/outcome.ts'
import { unreadText } from '#src/venues/whitebit/client/answers/partial-answer.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import type { Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import type { EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { answerText } from './answer-text.ts'
import { kebab } from './fields.ts'
import { problemsAsUsage } from './request-preview.ts'
import { printed } from '#src/cli/words/printed.ts'
import { columns } from '#src/cli/words/text.ts'

type Asked = {
  name: EndpointName
  row: Endpoint
  url: string
  asJson: boolean
  /** The last answer as the venue sent it. */
  body: string | undefined
}

/** Prints an answer and returns the exit code; any other outcome is thrown as its error. */
export function reportOutcome(outcome: AnyOutcome, asked: Asked): number {
  // The page of a gateway is not printed.
  if (asked.asJson && asked.body !== undefined && jsonIn(asked.body) !== undefined)
    printed(
      asked.body
        .split('\n')
        .map((line) => line.trim())
        .join(' '),
    )
  switch (outcome.kind) {
    case 'answered':
      return reportOrders(outcome, asked)
    case 'answer':
      for (const each of outcome.unread ?? [])
        process.stderr.write(`${unreadText(kebab(asked.name), each)}\n`)
      if (!asked.asJson) printed(answerText(outcome.value))
      return exitCodes.ok
    case 'accepted': {
      const text = JSON.stringify(outcome.value)
      if (!asked.asJson) printed(text === '{}' || text === '[]' ? 'Done.' : answerText(outcome.value))
      return exitCodes.ok
    }
    case 'refused':
      throw new BotError('VENUE_REFUSED', {
        seen: refusalText(outcome, asked.name),
        ...(outcome.throttle === 'nonce' && { fix: nonceFix }),
        ...(outcome.status === 404 &&
          asked.row.beyond && {
            fix: 'Start the exchange with --profile full: this endpoint is beyond the specification',
          }),
      })
    case 'not-sent':
      throw notSentError(outcome, asked)
    case 'unanswered':
      throw new BotError('VENUE_UNREACHABLE', {
        seen: `${asked.url}: ${printable(outcome.reason)}`,
        fix: 'Try again: the call only reads. Check the address',
      })
    case 'unknown':
      throw new BotError('OUTCOME_UNKNOWN', { seen: printable(outcome.reason) })
  }
}

function reportOrders({ orders }: Extract<BulkOutcome, { kind: 'answered' }>, { asJson }: Asked): number {
  const lines = columns(orders.map((order, index) => [String(index + 1), order.kind, orderText(order)]))
  // With --json, stdout has only the answer.
  const stream = asJson ? process.stderr : process.stdout
  stream.write(`${lines.join('\n')}\n`)
  const unknown = orders.filter((order) => order.kind === 'unknown').length
  if (unknown > 0) {
    throw new BotError('OUTCOME_UNKNOWN', {
      seen: `${unknown} of ${orders.length} orders have an unknown outcome`,
    })
  }
  if (orders.some((order) => order.kind === 'accepted')) return exitCodes.ok
  throw new BotError('VENUE_REFUSED', { seen: 'no order was accepted' })
}

function orderText(outcome: OrderOutcome): string {
  switch (outcome.kind) {
    case 'accepted': {
      const { market, side, amount, price, status, order_id: id, client_order_id: ownId } = outcome.order
      return printable(`${market} ${side} ${amount} at ${price} ${status} id ${id} ${ownId}`.trimEnd())
    }
    case 'refused':
      return [printable(`${codeText(outcome.code)}${outcome.message}`), ...fieldTexts(outcome.errors)].join(
        '; ',
      )
    case 'not-attempted':
      return 'the bulk stopped before this order'
    case 'not-sent':
    case 'unknown':
      return printable(outcome.reason)
  }
}

function refusalText(outcome: RefusedOutcome, name: EndpointName): string {
  const fields = fieldTexts(outcome.errors).map((text) => `\n  ${text}`)
  return `${kebab(name)}: ${codeText(outcome.code)}${printable(outcome.message)} (HTTP ${outcome.status})${fields.join('')}`
}

function codeText(code: number | null): string {
  return code === null ? '' : `code ${code}: `
}

function fieldTexts(errors: Problems): string[] {
  return Object.entries(errors).map(([field, texts]) => printable(`${field}: ${texts.join(', ')}`))
}

function notSentError({ cause, reason, problems }: NotSent, { row, url }: Asked): BotError {
  switch (cause) {
    case 'invalid':
      return problemsAsUsage(row, problems)
    case 'no-key':
      return new BotError('KEY_MISSING', { seen: `${row.path} is a private call` })
    case 'unreachable':
      return new BotError('VENUE_UNREACHABLE', { seen: `${url}: ${printable(reason)}. Nothing was sent` })
    case 'aborted':
    case 'late':
    case 'queue-full':
      return new BotError('NOT_SENT_IN_TIME', { seen: printable(reason) })
  }
}
