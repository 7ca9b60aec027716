import { z } from 'zod'
import { jsonIn } from '#src/core/objects/json.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { isSuccess, post } from './http-post.ts'
import type { OperatorCommand } from '#src/operate/dashboard/operator-commands.ts'
import type { CommandContext, TelegramAnswer, TelegramMessage } from './telegram-commands.ts'

/** How long the service keeps a call open while there is no message. */
const pollSeconds = 25
const callMsMax = (pollSeconds + 15) * 1000
const pauseMsFirst = 1000
const pauseMsMax = 60_000
/** Pause between two calls: messages of strangers must not keep the process busy. */
const gapMs = 200
const messagesMost = 100
/** More than so many messages need: 4096 letters each, each letter escaped. */
const answerBytesMax = 8 * 1024 * 1024
const replyTries = 3

const id = z.int().transform(String)
const update = z.object({
  update_id: z.int(),
  message: z
    .object({
      date: z.int(),
      chat: z.object({ id }),
      from: z.object({ id }).optional(),
      text: z.string().optional(),
    })
    .optional(),
})
const updates = z.object({ ok: z.literal(true), result: z.array(update) })

export type TelegramPollParts = {
  url: string
  token: string
  clock: Pick<Clock, 'sleep'>
  answer: (message: TelegramMessage, view: CommandContext) => TelegramAnswer | undefined
  view: () => CommandContext
  /** Returns why the command cannot apply. */
  operate: (command: OperatorCommand) => Promise<string | undefined>
  /** Once for each outage. */
  onLost: (reason: string) => void
  /** An error of ours. It ends neither the poll nor the bot. */
  onBroken: (error: unknown) => void
  /** Replies leave without secrets, as the log. */
  hidden: (text: string) => string
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
      const fault = await this.#step().catch((error: unknown) => {
        this.#parts.onBroken(error)
        return 'an internal error: see the log'
      })
      if (fault !== undefined && pauseMs === 0 && !signal.aborted) this.#parts.onLost(fault)
      pauseMs = fault === undefined ? 0 : Math.min(pauseMsMax, Math.max(pauseMsFirst, 2 * pauseMs))
      await this.#parts.clock.sleep(Math.max(gapMs, pauseMs), signal).catch(() => {})
    }
  }

  /** Reads and answers the next messages. Returns why that failed. */
  async #step(): Promise<string | undefined> {
    const isFirst = this.#next === undefined
    const body = isFirst
      ? { offset: -1, timeout: 0 }
      : { offset: this.#next, limit: messagesMost, timeout: pollSeconds, allowed_updates: ['message'] }
    const read = await this.#call('getUpdates', body)
    if ('fault' in read) return read.fault
    const found = updates.safeParse(read.body)
    if (!found.success) return 'the answer is not that of the Bot API'
    this.#next ??= 0
    let fault: string | undefined
    for (const { update_id: number, message } of found.data.result) {
      // Before the message is answered: no command is executed twice.
      this.#next = number + 1
      if (isFirst || message?.from === undefined || message.text === undefined) continue
      const { chat, from, text, date } = message
      fault = (await this.#reply({ chat: chat.id, user: from.id, text, date })) ?? fault
    }
    return fault
  }

  async #reply(message: TelegramMessage): Promise<string | undefined> {
    const { answer, view, operate, hidden, clock } = this.#parts
    const answered = answer(message, view())
    if (answered === undefined || this.#ending.signal.aborted) return undefined
    const refused = answered.command && (await operate(answered.command))
    const text = hidden(refused === undefined ? answered.text : `Nothing was done: ${refused}`)
    let fault: string | undefined
    for (let tries = 0; tries < replyTries; tries++) {
      const sent = await this.#call('sendMessage', { chat_id: message.chat, text })
      if (!('fault' in sent)) return undefined
      fault = `an answer could not be sent: ${sent.fault}`
      await clock.sleep(pauseMsFirst, this.#ending.signal).catch(() => {})
    }
    return fault
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
    const said = jsonIn(answer.body)
    return said === undefined ? { fault: 'the answer is not JSON' } : { body: said }
  }
}
