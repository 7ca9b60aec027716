import { z } from 'zod'
import { jsonIn } from '#src/core/objects/json.ts'
import type { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { Alert } from './alert.ts'

/** An alert as it is sent. Retries have the same id. */
export type Message = { id: string; host: string; time: string; alert: Alert }
export type HttpPost = { url: string; headers: Record<string, string>; body: string }

/** A service that delivers alerts. */
export type TargetType = {
  /** Description for people, without secrets. */
  about: string
  post: (message: Message, now: number) => HttpPost
  /** Whether the body confirms the message: a proxy may also answer 200. */
  isConfirmed: (body: string) => boolean
  /** Retry-after in the body, for services that do not use the header. */
  retryAfterSeconds: (body: string) => number | undefined
}

const json = { 'content-type': 'application/json' }

/** Sends plain text, so that nothing in it is markup. */
export function telegramTarget({
  url,
  chat,
  token,
}: {
  url: string
  chat: string
  token: string
}): TargetType {
  return {
    about: `Telegram, chat ${chat}`,
    post: (message) => ({
      url: new URL(`/bot${token}/sendMessage`, url).href,
      headers: json,
      body: JSON.stringify({
        chat_id: chat,
        text: `${message.alert.title}\n${bodyText(message)}`,
        link_preview_options: { is_disabled: true },
      }),
    }),
    isConfirmed: (body) => z.object({ ok: z.literal(true) }).safeParse(jsonIn(body)).success,
    retryAfterSeconds(body) {
      const read = z.object({ parameters: z.object({ retry_after: z.int().min(0) }) }).safeParse(jsonIn(body))
      return read.data?.parameters.retry_after
    },
  }
}

const ntfyPriorities = { debug: 2, info: 3, warn: 4, error: 5 } as const

export function ntfyTarget(about: { url: string; topic: string; token: string | undefined }): TargetType {
  const { url, topic, token } = about
  return {
    about: `ntfy at ${url}`,
    post: (message) => ({
      url,
      headers: token === undefined ? json : { ...json, authorization: `Bearer ${token}` },
      // As JSON, because headers could hold only ASCII titles.
      body: JSON.stringify({
        topic,
        title: message.alert.title,
        message: bodyText(message),
        priority: ntfyPriorities[message.alert.level],
      }),
    }),
    isConfirmed: (body) => z.object({ id: z.string() }).safeParse(jsonIn(body)).success,
    retryAfterSeconds: () => undefined,
  }
}

export const timestampHeader = 'x-rungs-timestamp'
export const signatureHeader = 'x-rungs-signature'

/** Sends JSON, signed together with the time against forgery and replay. */
export function webhookTarget({ url, secret }: { url: string; secret: Secret }): TargetType {
  return {
    about: `webhook at ${new URL(url).origin}`,
    post({ id, host, time, alert }, now) {
      const { type, level, title, text } = alert
      const body = JSON.stringify({ id, host, time, type, level, title, text })
      const timestamp = String(Math.floor(now / 1000))
      const signature = secret.sign(`${timestamp}.${body}`)
      return { url, headers: { ...json, [timestampHeader]: timestamp, [signatureHeader]: signature }, body }
    },
    isConfirmed: () => true,
    retryAfterSeconds: () => undefined,
  }
}

function bodyText({ host, time, alert: { text, level } }: Message): string {
  return [text, `${level} · ${host} · ${time}`].filter(Boolean).join('\n')
}
