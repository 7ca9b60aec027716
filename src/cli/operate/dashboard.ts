import { linkTo } from '#src/operate/dashboard/http/open-dashboard.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { readControl } from './control-call.ts'
import { botFolder } from './bot-folder.ts'
import { printed } from '#src/cli/words/printed.ts'

/** `rungs dashboard`: prints the link to the page of the running bot. */
export function dashboard({ stateDir }: { stateDir?: string }): number {
  const folder = botFolder(stateDir)
  const control = readControl(folder)
  if (control === undefined) throw new BotError('BOT_MISSING', { seen: `no bot listens for ${folder}` })
  return printed(linkTo(control.url, control.token))
}
