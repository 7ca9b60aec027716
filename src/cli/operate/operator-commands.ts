import { usage } from '#src/cli/words/usage.ts'
import { exitsText } from '#src/engine/rules/halts.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { tellBot } from './control-call.ts'
import { botFolder } from './bot-folder.ts'
import { statusOfBot } from './status.ts'
import { shellWord } from '#src/cli/words/text.ts'
import { printed } from '#src/cli/words/printed.ts'

export type OperateFlags = {
  reason?: string
  price?: string
  amount?: string
  freeze?: boolean
  cancel?: boolean
  stateDir?: string
}

const unsaid = 'stopped by an operator'

/**
 * `rungs stop [STRATEGY]` stops entries until `rungs resume`; exits work, unless `--freeze` stops them, too. The process keeps
 * running. Resting entries of one strategy are cancelled; a stop of all strategies leaves them open without `--cancel`.
 */
export async function stopBot(
  strategy: string | undefined,
  { reason = unsaid, freeze = false, cancel = false, stateDir }: OperateFlags,
): Promise<number> {
  const folder = botFolder(stateDir)
  const isCancelled = cancel || strategy !== undefined
  for (const [act, body] of stopActs(strategy, { reason, freeze, cancel })) await tellBot(folder, act, body)
  const now = await statusOfBot(folder)
  const own = now?.strategies.find(({ name }) => name === strategy)
  const exits = freeze ? 'frozen' : strategy === undefined ? now?.exits : own?.exits
  const entries = isCancelled
    ? 'open entries are cancelled if the venue supports it'
    : 'open entries stay at the venue'
  return printed(
    `${strategy === undefined ? 'All strategies are' : `${strategy} is`} stopped: no new entries; ${entries}.\n` +
      `${exitsText(exits ?? 'work')}.\nTo resume: rungs resume${strategy === undefined ? '' : ` ${strategy}`}`,
  )
}

type StopAct = ['stop' | 'halt', Record<string, unknown>]

/** The commands of a stop of one strategy or of all. */
export function stopActs(
  strategy: string | undefined,
  { reason, freeze, cancel }: { reason: string; freeze: boolean; cancel: boolean },
): StopAct[] {
  const isCancelled = cancel || strategy !== undefined
  const frozen = freeze && { freeze }
  return [
    // A freeze of everything would keep entries from being cancelled; a halt freezes the exits of its strategies only.
    ...(strategy === undefined ? [['stop', { reason, ...(!isCancelled && frozen) }] satisfies StopAct] : []),
    ...(isCancelled ? [['halt', { strategy: strategy ?? null, reason, ...frozen }] satisfies StopAct] : []),
  ]
}

export async function resumeBot(
  strategy: string | undefined,
  { reason = 'resumed by an operator', stateDir }: OperateFlags,
): Promise<number> {
  const folder = botFolder(stateDir)
  await tellBot(folder, 'resume', { strategy: strategy ?? null, reason })
  const now = strategy === undefined ? undefined : await statusOfBot(folder)
  const own = now?.strategies.find(({ name }) => name === strategy)
  if (typeof now?.stopped === 'string') {
    return printed(
      `${strategy} is resumed but does not trade: all strategies are stopped (${printable(now.stopped)}).\n` +
        'To resume all strategies: rungs resume',
    )
  }
  if (own?.running === false)
    return printed(`${strategy} is resumed but not running: it trades when a bot starts it.`)
  return printed(`${strategy ?? 'All strategies'} resumed.`)
}

/** `rungs pause [STRATEGY]`: no new entries; open entries stay, and exits work. */
export async function pauseBot(
  strategy: string | undefined,
  { reason = 'paused by an operator', stateDir }: OperateFlags,
): Promise<number> {
  await tellBot(botFolder(stateDir), 'pause', { strategy: strategy ?? null, reason })
  const name = strategy === undefined ? '' : ` ${shellWord(strategy)}`
  return printed(
    `${strategy ?? 'All strategies'} paused: no new entries; open entries stay at the venue, and exits work.\n` +
      `To resume: rungs resume${name}`,
  )
}

/** `rungs cancel ORDER`: cancels an open entry; its rung stays empty until `rungs resume`. */
export async function cancelOrder(
  order: string,
  { reason = 'cancelled by an operator', stateDir }: OperateFlags,
): Promise<number> {
  await tellBot(botFolder(stateDir), 'cancel', { order, reason })
  const [strategy = ''] = order.split('.')
  return printed(
    `The bot cancels ${printable(order)}. Its rung stays empty until: rungs resume ${shellWord(strategy)}\n` +
      `To see the result: rungs why ${shellWord(order)}`,
  )
}

/** `rungs signal NAME VALUE`: sets a signal of all running strategies that have one of this name. */
export async function setSignal(name: string, value: string, { stateDir }: OperateFlags): Promise<number> {
  await tellBot(botFolder(stateDir), 'signal', { name, value })
  return printed(`The signal ${printable(name)} is ${printable(value)}.`)
}

/** Resolves an order with unknown outcome manually. */
export async function resolveOrder(
  order: string,
  as: 'live' | 'dead' | 'gone',
  flags: OperateFlags,
): Promise<number> {
  if (as === 'gone') return writeOff(order, flags)
  const { reason = unsaid, stateDir } = flags
  const known = as === 'live' ? 'placed' : 'absent'
  await tellBot(botFolder(stateDir), 'resolve', { order, as: known, reason })
  return printed(`${order} is now resolved as ${known}.`)
}

/** Books that the position of a ladder was closed without an order of ours, for example by the venue. */
async function writeOff(
  ladder: string,
  { price, amount, reason = unsaid, stateDir }: OperateFlags,
): Promise<number> {
  const [strategy = '', name = '', ...more] = ladder.split('.')
  if (strategy === '' || name === '' || more.length > 0 || price === undefined) {
    throw usage(
      price === undefined
        ? 'gone needs the price at which the position was closed'
        : `"${printable(ladder)}" is not a ladder`,
      'Write rungs resolve STRATEGY.LADDER gone --price PRICE --reason TEXT',
    )
  }
  const body = { strategy, ladder: name, amount: amount ?? null, price, reason }
  await tellBot(botFolder(stateDir), 'write-off', body)
  return printed(`${amount ?? 'The whole position'} of ${ladder} is written off at ${price}.`)
}
