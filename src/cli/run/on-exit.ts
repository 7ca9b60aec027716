import type { OnExit } from '#src/strategy/schema/on-exit.ts'
import { readStrategyText } from '#src/strategy/file/read-strategy.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import type { RunningBot } from '#src/runtime/loop/bot.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { counted } from '#src/cli/words/text.ts'

/** The venue may not answer: the process must end all the same. */
const limitMs = 30_000
const lookMs = 100

/** What the files, or the flag for all of them, want at the end of the run: the strategies with work to do. */
export function wantedOnExit(state: State, flag: OnExit | undefined): Map<string, OnExit> {
  const wanted = state.running.map((name): [string, OnExit] => {
    const read = readStrategyText(state.strategies[name]?.text ?? '')
    return [name, flag ?? (Array.isArray(read) ? 'leave' : read.strategy.on_exit)]
  })
  return new Map(wanted.filter(([, how]) => how !== 'leave'))
}

/** For people. */
export function onExitText(wanted: ReadonlyMap<string, OnExit>): string {
  const closes = [...wanted.values()].includes('flatten')
  return `${closes ? 'closing positions' : 'cancelling open entries'}, for at most ${limitMs / 1000} s.`
}

/**
 * Cancels the open entries of these strategies, and closes their positions where `flatten` wants that. Returns what is left, a
 * line for each strategy. The halts end with the next start.
 */
export async function cleanUpOnExit(
  bot: Pick<RunningBot, 'state' | 'operate'>,
  wanted: ReadonlyMap<string, OnExit>,
  withinMs = limitMs,
): Promise<string[]> {
  for (const [strategy, how] of wanted) {
    const reason = `on_exit: ${how}, until the next start`
    await bot.operate({
      kind: 'operator',
      act: 'halt',
      strategy,
      reason,
      ...(how === 'flatten' && { flatten: true }),
      forExit: true,
    })
  }
  const end = systemClock.monotonic() + withinMs
  const left = () => [...wanted].flatMap(([name, how]) => leftOf(bot.state, name, how))
  while (left().some(({ isOpen }) => isOpen) && systemClock.monotonic() < end) await systemClock.sleep(lookMs)
  return left().map(({ text }) => text)
}

/** What is left of a strategy, and whether the bot still works on it. */
function leftOf(state: State, name: string, how: OnExit): { text: string; isOpen: boolean }[] {
  const own = state.strategies[name]
  const orders = Object.values(state.orders).filter(
    ({ strategy, status, role }) =>
      strategy === name && status !== 'ended' && (how === 'flatten' || role === 'entry'),
  )
  const held = Object.entries(own?.holdings ?? {}).filter(
    ([, { position }]) => how === 'flatten' && position !== '0',
  )
  const isClosed = how === 'cancel' || own?.flatten?.isDone === true
  const isOpen = !isClosed || (state.venue.capabilities.includes('cancel') && orders.length > 0)
  if (orders.length + held.length === 0)
    return isOpen ? [{ text: `${name}: on_exit: ${how} is not done`, isOpen }] : []
  const verb = orders.some(isUnsure) ? 'may be' : orders.length === 1 ? 'is' : 'are'
  const small = isOpen ? '' : ', below the minimum of the market'
  const parts = [
    ...(orders.length === 0 ? [] : [`${counted(orders.length, 'order')} ${verb} open`]),
    ...held.map(([market, { position }]) => `a position of ${position} in ${market} is open${small}`),
  ]
  return [{ text: `${name}: ${parts.join(', ')}`, isOpen }]
}

function isUnsure({ status }: Order): boolean {
  return status !== 'resting'
}
