import { exitCodes } from '#src/errors/catalogue.ts'
import { tellBot } from './control-call.ts'
import { stateFolder } from './state-folder.ts'

export type OperateFlags = { reason?: string; stateDir?: string }

const unsaid = 'an operator said so'

/** `rungs stop [STRATEGY]`: nothing leaves any more, exits neither, until it is resumed. The process goes on. */
export async function stopBot(
  strategy: string | undefined,
  { reason = unsaid, stateDir }: OperateFlags,
): Promise<number> {
  const folder = stateFolder(stateDir)
  if (strategy === undefined) await tellBot(folder, 'stop', { reason })
  else await tellBot(folder, 'halt', { strategy, reason })
  return said(
    `${strategy ?? 'Everything'} stands still: no order leaves, those that rest stay at the venue.\n` +
      `It goes on with: rungs resume${strategy === undefined ? '' : ` ${strategy}`}`,
  )
}

export async function resumeBot(
  strategy: string | undefined,
  { reason = unsaid, stateDir }: OperateFlags,
): Promise<number> {
  await tellBot(stateFolder(stateDir), 'resume', { strategy: strategy ?? null, reason })
  return said(`${strategy ?? 'Everything'} goes on.`)
}

/** Ends the doubt about an order by the word of somebody who has looked. */
export async function resolveOrder(
  order: string,
  as: 'live' | 'dead',
  { reason = unsaid, stateDir }: OperateFlags,
): Promise<number> {
  const known = as === 'live' ? 'placed' : 'absent'
  await tellBot(stateFolder(stateDir), 'resolve', { order, as: known, reason })
  return said(`${order} counts as ${known} from now on.`)
}

function said(text: string): number {
  process.stdout.write(`${text}\n`)
  return exitCodes.ok
}
