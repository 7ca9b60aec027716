import { Decimal, decimalText, raiseTo } from '#src/core/money/decimal.ts'
import type { DraftPlace } from './bounds.ts'
import { kinds, type StrategyDraft } from './kinds.ts'
import { partsByKind } from './sections.ts'

/** The results of a check of the draft: the loss of the worst case, and the rungs of each ladder. */
export type Counted = { loss: Decimal; rungs: ReadonlyMap<string, readonly string[]> }

/** Limits exceed the computed loss by this factor, so that a small price move does not break them. */
const room = 1.15

/**
 * The text of a strategy file, with comments. Without the results of a check, its test expects no rungs and its limit
 * allows any loss.
 */
export function draftText(
  draft: StrategyDraft,
  place: DraftPlace,
  schemaPath: string,
  counted?: Counted,
): string {
  const { kind, market, name, money } = draft
  const part = partsByKind[kind](draft, place)
  const { about, sides, leaves, move, drawdown, block, order } = kinds[kind]
  const entries = draft.levels * sides
  const loss = counted ? twoDigits(counted.loss.times(room)) : money.times(2)
  return `# yaml-language-server: $schema=${schemaPath}
#
# ${part.title} on ${market}, by rungs new.
#
# The strategy ${about}.
${part.remark}
# After a change run rungs check. A running bot loads the saved file if it is valid.
version: 1
name: ${name} # prefix of all order ids
needs: [${part.needs}] # capabilities that the venue must have

markets:
  coin: { symbol: ${market} }

feeds:
${part.feeds}

let:
${part.lets}

ladder:
${part.ladders}

rules: # the actions of a rule hold while it is true
${part.rules}

risk: # limits for all orders
  max_notional: { coin: ${decimalText(money.times('1.1'))} } # maximum notional of positions and entries
  max_open_orders: ${4 * entries}
  worst_case: { move: ${move}, max_loss: ${decimalText(loss)} } # loss after this move with all entries filled
  drawdown: { pause: ${drawdown.pause}, halt: ${drawdown.halt} } # measured from the best result
  in_doubt: { block: ${block}, halt_after: 60s } # scope that waits while an order has an unknown outcome

submit:
  chunk: ${Math.min(entries, place.batchMax)} # orders in one request
  order: ${order}
  stopOnFail: ${leaves}
  on_reject: skip_level
  throttled: { max: 5, backoff: 250ms..8s }
  rate: { requests: 8, per: 1s }

tests: # rungs check runs these
  - name: at ${decimalText(place.price)} it starts
    given:
      feeds: ${part.given}
    expect:
      rules: { ${part.begins}: true }
${counted ? rungTests(counted) : ''}  - name: without a price it does nothing
    given: {}
    expect:
      rules: { ${part.begins}: unknown }
`
}

function rungTests({ rungs }: Counted): string {
  const ladders = [...rungs].map(
    ([ladder, all]) =>
      `        ${ladder}: { count: ${all.length}, first: ${all[0] ?? ''}, last: ${all.at(-1) ?? ''} }\n`,
  )
  return `      rungs:\n${ladders.join('')}`
}

/** Rounds a limit up to two digits. */
function twoDigits(value: Decimal): Decimal {
  if (value.isZero()) return new Decimal(1)
  const digits = 1 - Math.floor(value.log(10).toNumber())
  return digits >= 0 ? raiseTo(digits, value) : value.toSignificantDigits(2, Decimal.ROUND_UP)
}
