import { setTimeout as delay } from 'node:timers/promises'
import type { StrategyStatus } from '#src/operate/dashboard/status.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { botFolder } from './bot-folder.ts'
import { confirm } from '#src/cli/words/confirm.ts'
import { usage } from '#src/cli/words/usage.ts'
import { tellBot } from './control-call.ts'
import { onlyStrategy, ordersText, positionText, statusOfBot } from './status.ts'

type FlattenFlags = {
  account?: boolean
  venue?: string
  yes?: boolean
  wait?: number
  reason?: string
  stateDir?: string
}

const waitMsDefault = 60_000
const pollMs = 250

/**
 * `rungs flatten [STRATEGY]`: the bot cancels open orders and closes positions at the market. The command waits for that, and
 * names what remains.
 */
export async function flattenPositions(strategy: string | undefined, flags: FlattenFlags): Promise<number> {
  const { yes = false, wait = waitMsDefault, reason = 'flattened by an operator', stateDir } = flags
  if (flags.account === true || flags.venue !== undefined) {
    const venue = venueOfAccount(strategy, flags)
    const { flattenAccount } = await import('./flatten-account.ts')
    return flattenAccount({ venue, yes, wait, reason, stateDir })
  }
  const folder = botFolder(stateDir)
  const details = (await readStrategies(folder, strategy)).map(openText).join('\n')
  const whose = strategy === undefined ? 'all strategies' : printable(strategy)
  const seen = `rungs flatten closes the positions of ${whose} at the market`
  const question = `Cancel the orders of ${whose} and close the positions at the market?`
  if (!yes) await confirm({ seen, question, details })
  await tellBot(folder, 'halt', { strategy: strategy ?? null, reason, flatten: true })
  const end = performance.now() + wait
  let now = await readStrategies(folder, strategy)
  while (now.some(({ flattening }) => flattening === 'closing') && performance.now() < end) {
    await delay(pollMs)
    now = await readStrategies(folder, strategy)
  }
  const rows = [...now.map(resultText), `To resume: rungs resume${strategy === undefined ? '' : ` ${whose}`}`]
  process.stdout.write(`${rows.join('\n')}\n`)
  return now.every(isFlat) ? exitCodes.ok : exitCodes.findings
}

function venueOfAccount(strategy: string | undefined, { account = false, venue }: FlattenFlags): string {
  const example = 'Write rungs flatten --account --venue FILE'
  if (!account) throw usage('--venue is for --account only', example)
  if (strategy !== undefined) throw usage('--account concerns the whole account, not one strategy', example)
  if (venue === undefined) throw usage('--account needs the venue file of the account', example)
  return venue
}

/** Strategies that do not run have no price and no ladder: the bot cannot close what they hold. */
async function readStrategies(folder: string, strategy: string | undefined): Promise<StrategyStatus[]> {
  const status = await statusOfBot(folder)
  if (status === undefined)
    throw new BotError('BOT_MISSING', { seen: `no bot listens for ${printable(folder)}` })
  const { strategies } = strategy === undefined ? status : onlyStrategy(strategy, status)
  return strategies.filter(({ running, holdings }) => running || holdings.length > 0)
}

function openText(strategy: StrategyStatus): string {
  return `${strategy.name}: orders ${ordersText(strategy)}; position ${positionText(strategy)}`
}

function isFlat({ holdings, orders }: StrategyStatus): boolean {
  const isOpen = orders.resting + orders.sending + orders.doubtful.length > 0
  return !isOpen && holdings.every(({ position }) => position === '0')
}

function resultText(strategy: StrategyStatus): string {
  const { name, running, flattening, orders } = strategy
  if (isFlat(strategy)) return `${name}: no order and no position is open.`
  const left = openText(strategy)
  if (!running) return `${left}. It does not run: start its file, and flatten again.`
  if (flattening === 'closing')
    return `${left}. The bot goes on until the position is closed; rungs why ${name} names what it waits for.`
  if (orders.resting > 0)
    return `${left}. The venue cannot cancel these orders; the bot closes what they fill.`
  return `${left}. The rest is below the minimum of the market.`
}
