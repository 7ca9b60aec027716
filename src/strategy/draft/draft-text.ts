import { Decimal, decimalText, raiseTo } from '#src/core/money/decimal.ts'
import type { DraftPlace } from './bounds.ts'
import { kinds, type StrategyDraft } from './kinds.ts'
import { partsByKind } from './sections.ts'

/** Limits exceed the computed loss by this factor, so that a small price move does not break them. */
const room = 1.15
/** The default of `submit.chunk`. */
const chunkUsual = 20

/**
 * The text of a strategy file, with comments. `worstLoss` is the result of a check of the file: without it, the limit
 * allows any loss. The tests contain no rungs, because each change of a size or a distance would break them.
 */
export function draftText(
  draft: StrategyDraft,
  place: DraftPlace,
  schemaPath: string,
  worstLoss?: Decimal,
): string {
  const { kind, market, name, money } = draft
  const part = partsByKind[kind](draft, place)
  const { about, move, drawdown, block } = kinds[kind]
  const loss = worstLoss ? twoDigits(worstLoss.times(room)) : money.times(2)
  const submit = submitText(draft, place)
  return `# yaml-language-server: $schema=${schemaPath}
#
# ${part.title} on ${market}, by rungs new.
#
# The strategy ${about}.
${part.remark}
# After a change run rungs check. A running bot loads the saved file if it is valid.
version: 1
name: ${name} # prefix of all order ids

markets:
  coin: ${market}

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
  worst_case: { move: ${move}, max_loss: ${decimalText(loss)} } # loss after this move with all entries filled
  drawdown: { pause: ${drawdown.pause}, halt: ${drawdown.halt} } # measured from the best result
  in_doubt: { block: ${block} } # scope that waits while an order has an unknown outcome
${submit}
tests: # rungs check runs these
  - name: at ${decimalText(place.price)} it starts
    given:
      feeds: ${part.given}
    expect:
      rules: { ${part.begins}: true }
  - name: without a price it does nothing
    given: {}
    expect:
      rules: { ${part.begins}: unknown }
`
}

/** Only what differs from the defaults. */
function submitText({ kind }: StrategyDraft, { batchMax }: DraftPlace): string {
  const { order, leaves } = kinds[kind]
  const lines = [
    ...(batchMax < chunkUsual ? [`  chunk: ${batchMax} # orders in one request`] : []),
    ...(order === 'nearest_first' ? [] : [`  order: ${order}`]),
    ...(leaves ? ['  stopOnFail: true # a refused order stops the orders behind it'] : []),
  ]
  return lines.length === 0 ? '' : `\nsubmit:\n${lines.join('\n')}\n`
}

/** Rounds a limit up to two digits. */
function twoDigits(value: Decimal): Decimal {
  if (value.isZero()) return new Decimal(1)
  const digits = 1 - Math.floor(value.log(10).toNumber())
  return digits >= 0 ? raiseTo(digits, value) : value.toSignificantDigits(2, Decimal.ROUND_UP)
}
