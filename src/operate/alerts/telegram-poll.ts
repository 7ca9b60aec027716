import { z } from 'zod'
import type { Clock } from '#src/core/time/clock.ts'
import { isSuccess, post } from './http-post.ts'
import type { OperatorCommand } from '#src/operate/dashboard/operator-commands.ts'
import type { CommandContext, TelegramAnswer, TelegramMessage } from './telegram-commands.ts'

/** How long the service keeps a call open while there is no message. */
const pollSeconds = 25
const callMsMax = (pollSeconds + 15) * 1000
const pauseMsFirst = 1000
const pauseMsMax = 60_000
/** Between two messages: a stranger who writes to the bot must not keep it busy. */
const gapMs = 200
/** More than one message needs: 4096 letters, each escaped. */
const answerBytesMax = 256 * 1024

const id = z.int().transform(String)
const update = z.object({
  update_id: z.int(),
  message: z
    .object({ chat: z.object({ id }), from: z.object({ id }).optional(), text: z.string().optional() })
    .optional(),
})
const updates = z.object({ ok: z.literal(true), result: z.array(update) })

export type TelegramPollParts = {
  url: string
  token: string
  clock: Pick<Clock, 'sleep' | 'monotonic'>
  answer: (message: TelegramMessage, view: CommandContext) => TelegramAnswer | undefined
  view: () => CommandContext
  /** Returns why the command cannot apply. */
  operate: (command: OperatorCommand) => Promise<string | undefined>
  /** Once for each outage. */
  onLost: (reason: string) => void
}

/**
 * Reads the messages to a Telegram bot, one after the other, and answers them. Messages from before the start are
 * skipped: a command must not be executed hours later, and none twice after a crash.
 */
export class TelegramPoll {
  readonly #parts: TelegramPollParts
  readonly #ending = new AbortController()
  /** The first message that was not read yet; undefined before the first answer. */
  #next: number | undefined
  #running: Promise<void> | undefined

  constructor(parts: TelegramPollParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running = this.#run()
  }

  async end(): Promise<void> {
    this.#ending.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    let pauseMs = 0
    while (!signal.aborted) {
      const fault = await this.#step()
      if (fault !== undefined && pauseMs === 0 && !signal.aborted) this.#parts.onLost(fault)
      pauseMs = fault === undefined ? 0 : Math.min(pauseMsMax, Math.max(pauseMsFirst, 2 * pauseMs))
      await this.#parts.clock.sleep(Math.max(gapMs, pauseMs), signal).catch(() => {})
    }
  }

  /** Reads and answers at most one message. Returns why that failed. */
  async #step(): Promise<string | undefined> {
    const isFirst = this.#next === undefined
    const body = isFirst
      ? { offset: -1, timeout: 0 }
      : { offset: this.#next, limit: 1, timeout: pollSeconds, allowed_updates: ['message'] }
    const read = await this.#call('getUpdates', body)
    if ('fault' in read) return read.fault
    const found = updates.safeParse(read.body)
    if (!found.success) return 'the answer is not that of the Bot API'
    const last = found.data.result.at(-1)
    this.#next = last === undefined ? (this.#next ?? 0) : last.update_id + 1
    if (isFirst || last?.message === undefined) return undefined
    const { chat, from, text } = last.message
    if (from === undefined || text === undefined) return undefined
    const answered = this.#parts.answer({ chat: chat.id, user: from.id, text }, this.#parts.view())
    if (answered === undefined) return undefined
    const refused = answered.command && (await this.#parts.operate(answered.command))
    const reply = refused === undefined ? answered.text : `Nothing was done: ${refused}`
    const sent = await this.#call('sendMessage', { chat_id: chat.id, text: reply })
    return 'fault' in sent ? sent.fault : undefined
  }

  /** The address contains the token, so no reason quotes it. */
  async #call(method: string, body: object): Promise<{ body: unknown } | { fault: string }> {
    const { url, token } = this.#parts
    const request = {
      url: new URL(`/bot${token}/${method}`, url).href,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(callMsMax)])
    const answer = await post(request, signal, answerBytesMax)
    if (answer.kind === 'silent') return { fault: answer.reason }
    if (answer.status === 409) return { fault: 'another program reads the messages of this Telegram bot' }
    if (!isSuccess(answer)) return { fault: `status ${answer.status}` }
    try {
      return { body: JSON.parse(answer.body) }
    } catch {
      return { fault: 'the answer is not JSON' }
    }
  }
}
