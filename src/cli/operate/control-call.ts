import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { isLoopback } from '#src/core/network/loopback.ts'
import { controlPath } from '#src/operate/dashboard/http/state-folder-files.ts'
import { isSame } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { operatorCommands } from '#src/operate/dashboard/operator-commands.ts'
import { proofOf } from '#src/operate/dashboard/http/token.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import { systemCode } from '#src/core/errors/system-errors.ts'
import { printable } from '#src/operate/terminal/printable.ts'

const controlFile = z.strictObject({
  url: z.url().refine(isLoopback),
  pid: z.int().min(1),
  token: z.string().min(1).max(200),
})
const proofAnswer = z.object({ proof: z.string() })
const answerMsMax = 10_000

type Command = (typeof operatorCommands)[number] | 'signal'

export type ControlAnswer = { status: number; body: unknown }

/** Calls the bot that runs in this folder; undefined if none runs. */
export async function callBot(
  stateDir: string,
  path: 'status' | Command,
  body?: Record<string, unknown>,
): Promise<ControlAnswer | undefined> {
  const control = readControl(stateDir)
  if (control === undefined) return undefined
  try {
    await refuseStranger(control)
    const response = await fetch(`${control.url}/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${control.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(answerMsMax),
    })
    return { status: response.status, body: await response.json() }
  } catch (cause) {
    // The bot has ended meanwhile.
    if (cause instanceof Error && systemCode(cause.cause) === 'ECONNREFUSED') return undefined
    if (cause instanceof BotError) throw cause
    throw new BotError('BOT_SILENT', { seen: `process ${control.pid}`, cause })
  }
}

/** Another program may use the port of a killed bot: it must not receive the token. */
async function refuseStranger({ url, token }: { url: string; token: string }): Promise<void> {
  const nonce = randomBytes(24).toString('base64url')
  const response = await fetch(`${url}/proof?nonce=${nonce}`, {
    redirect: 'error',
    signal: AbortSignal.timeout(answerMsMax),
  })
  const told = proofAnswer.safeParse(await response.json().catch(() => undefined))
  const expected = proofOf(token, Number(new URL(url).port), nonce)
  if (told.success && expected !== undefined && isSame(told.data.proof, expected)) return
  throw new BotError('BOT_FOREIGN', { seen: `${url} is another program or another bot` })
}

/** A bot that has not read its account yet carries out no command. */
const statusOfStart = 503

/** The same for commands that need a running bot. */
export async function tellBot(stateDir: string, path: Command, body: Record<string, unknown>): Promise<void> {
  const answered = await callBot(stateDir, path, body)
  if (answered === undefined) throw new BotError('BOT_MISSING', { seen: `no bot listens for ${stateDir}` })
  if (answered.status === 200) return
  const { error } = z.object({ error: z.string() }).parse(answered.body)
  const other =
    path === 'cancel' ? 'List rungs with: rungs why STRATEGY' : 'List strategies with: rungs status'
  const [what = '', fix = other] = error.split('; fix: ')
  if (answered.status === statusOfStart)
    throw new BotError('BOT_SILENT', { seen: printable(what), fix: 'Run the command again in a second' })
  throw usage(printable(what), printable(fix))
}

/** The address of the folder's bot; undefined if none has started, or it has ended in order. */
export function readControl(stateDir: string): z.output<typeof controlFile> | undefined {
  const path = controlPath(stateDir)
  try {
    const control = controlFile.parse(JSON.parse(readFileSync(path, 'utf8')))
    // After a kill another program may listen there: it does not receive the token.
    return isThere(control.pid) ? control : undefined
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT') return undefined
    const seen = code === undefined ? `${path} was not written by a bot` : `${path} (${code})`
    throw new BotError('FILE_UNREADABLE', { seen, cause: error })
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The bot runs, but refuses the call.
    return systemCode(error) !== 'ESRCH'
  }
}
