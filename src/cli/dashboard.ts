import { linkTo } from '#src/desk/open.ts'
import { BotError } from '#src/errors/bot-error.ts'
import { exitCodes } from '#src/errors/catalogue.ts'
import { readControl } from './control-call.ts'
import { stateFolder } from './state-folder.ts'

/** `rungs dashboard`: the link to the page of the bot that runs, for whoever has not seen its terminal. */
export function dashboard({ stateDir }: { stateDir?: string }): number {
  const folder = stateFolder(stateDir)
  const control = readControl(folder)
  if (control === undefined) throw new BotError('BOT_MISSING', { seen: `no bot listens for ${folder}` })
  process.stdout.write(`${linkTo(control.url, control.token)}\n`)
  return exitCodes.ok
}
