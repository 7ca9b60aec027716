import { outcomeOf } from './backtests.ts'
import { changes, differencesOf, printOf, writeChanges, type DeclaredChange } from './declared.ts'
import { recordedOutcomes, recordedPath } from './recorded.ts'
import { same, verified } from './tapes.ts'

/**
 * `npm run golden:declare` shows what comes to something else than was recorded, or than was declared for it. With a reason
 * behind it, all of that is declared to be so for this reason. What is declared and differs no more is taken out.
 */
const [reason] = process.argv.slice(2)
const declared = changes()

function look(part: 'backtests' | 'tapes', name: string, recorded: unknown, result: unknown, now: string) {
  const known: DeclaredChange | undefined = declared[part][name]
  const print = printOf(result)
  if (print === printOf(recorded)) {
    if (known) process.stdout.write(`${part} ${name}: as it was recorded again\n`)
    delete declared[part][name]
  } else if (known?.print !== print) {
    process.stdout.write(`${part} ${name}: ${now}, ${known ? `declared: ${known.reason}` : 'not declared'}\n`)
    for (const line of differencesOf(recorded, result)) process.stdout.write(`  ${line}\n`)
    if (reason === undefined) return
    const reasons = new Set([...(known?.reason.split('; ') ?? []), reason])
    declared[part][name] = { reason: [...reasons].join('; '), print, now }
  }
}

for (const [name, recorded] of recordedOutcomes()) {
  const outcome = await outcomeOf(name)
  const { fills, orders, netProfit } = outcome.summary
  look('backtests', name, recorded, outcome, `${orders} orders, ${fills} fills, net profit ${netProfit}`)
}
for (const [name, found] of await verified(recordedPath('tapes'))) {
  look('tapes', name, same(found), found, `${found.matched} of ${found.requests} requests match`)
}
writeChanges(declared)
