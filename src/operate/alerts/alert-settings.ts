import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { isLoopback } from '#src/core/network/loopback.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { addressMistake } from '#src/core/network/address.ts'
import { readSecretFile } from '#src/core/disk/secret-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { duration } from '#src/strategy/schema/quantities.ts'
import { conditionTypes, eventTypes, defaultEvents, type Alert, type AlertType } from './alert.ts'
import type { TelegramOperators } from './telegram-commands.ts'
import type { ConditionDelays } from './lasting-conditions.ts'
import { ntfyTarget, telegramTarget, webhookTarget, type TargetType } from './target-types.ts'

/** A receiver of alerts, and the alerts that it accepts. */
export type TargetSettings = {
  name: string
  targetType: TargetType
  takes: (alert: Pick<Alert, 'type' | 'level'>) => boolean
}

export type AlertSettings = {
  targets: readonly TargetSettings[]
  /** Alerts of one cause are sent once in this time. */
  repeatMs: number
  after: ConditionDelays
  heartbeat: { url: string; everyMs: number } | undefined
  /** Telegram bots that accept commands. */
  telegram: readonly (TelegramOperators & { name: string; url: string; token: string })[]
  /** Neither the log nor a recording may contain them. */
  secrets: readonly Secret[]
}

const levels = ['debug', 'info', 'warn', 'error'] as const
const usual: readonly AlertType[] = [...conditionTypes, ...defaultEvents]

const textWithout = (mistakeIn: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const message = mistakeIn(text)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
const address = textWithout(addressMistake)
const place = textWithout(urlMistake)
const file = z.string().min(1, 'must name a file')
const types = z.array(z.enum([...conditionTypes, ...eventTypes])).default([])
const wanted = { level: z.enum(levels.slice(1)).default('warn'), also: types, except: types }
const nameOf = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be a short name of a-z, 0-9, _ and -')

const userId = z
  .string()
  .regex(/^\d{1,20}$/, 'must be a user id')
  .meta({ examples: ["'123456789'"] })

const alertsSchema = z.strictObject({
  telegram: z
    .record(
      nameOf,
      z.strictObject({
        url: address.default('https://api.telegram.org'),
        chat: z.string().regex(/^(?:-?\d{1,20}|@\w{1,64})$/, 'must be a chat id or @channel'),
        tokenFile: file,
        commands: z
          .strictObject({
            users: z.array(userId).min(1).max(20),
          })
          .optional(),
        ...wanted,
      }),
    )
    .default({}),
  ntfy: z
    .record(
      nameOf,
      z.strictObject({
        url: address.default('https://ntfy.sh'),
        topicFile: file,
        tokenFile: file.optional(),
        ...wanted,
      }),
    )
    .default({}),
  webhook: z.record(nameOf, z.strictObject({ url: place, secretFile: file, ...wanted })).default({}),
  repeat: duration.prefault('10m'),
  after: z
    .strictObject({
      doubt: duration.prefault('2m'),
      stream: duration.prefault('1m'),
      account: duration.prefault('1m'),
    })
    .prefault({}),
  heartbeat: z.strictObject({ urlFile: file, every: duration.prefault('1m') }).optional(),
})

/** Secrets are in separate files that only their owner may read. */
export function loadAlerts(path: string): AlertSettings {
  const read = readYaml(path, alertsSchema)
  const secrets: Secret[] = []
  const secretIn = (name: string): string => {
    const text = readSecretFile(resolve(dirname(path), name))
    secrets.push(new Secret(text))
    return text
  }
  const telegramBots = Object.entries(read.telegram).map(
    ([name, { url, chat, tokenFile, commands, ...wanted }]) => {
      const token = secretIn(tokenFile)
      return { name, url, chat, token, wanted, users: commands?.users ?? [] }
    },
  )
  const targets = [
    ...telegramBots.map(({ name, url, chat, token, wanted }) => ({
      name,
      targetType: telegramTarget({ url, chat, token }),
      takes: filterOf(wanted),
    })),
    ...Object.entries(read.ntfy).map(([name, { url, topicFile, tokenFile, ...wanted }]) => ({
      name,
      targetType: ntfyTarget({
        url,
        topic: secretIn(topicFile),
        token: tokenFile === undefined ? undefined : secretIn(tokenFile),
      }),
      takes: filterOf(wanted),
    })),
    ...Object.entries(read.webhook).map(([name, { url, secretFile, ...wanted }]) => ({
      name,
      targetType: webhookTarget({ url, secret: new Secret(secretIn(secretFile)) }),
      takes: filterOf(wanted),
    })),
  ]
  const names = targets.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined || targets.length === 0) {
    throw new BotError('FILE_INVALID', {
      seen: twice === undefined ? `${path} names no target` : `${path} names ${twice} twice`,
      fix: 'Use a different name for each target under telegram, ntfy and webhook',
    })
  }
  const { repeat, after, heartbeat } = read
  const mistake = commandsMistake(telegramBots)
  if (mistake !== undefined) {
    throw new BotError('FILE_INVALID', {
      seen: `${path}: ${mistake}`,
      fix: 'See "Telegram commands" in docs/operations.md',
    })
  }
  return {
    targets,
    repeatMs: repeat,
    after,
    heartbeat: heartbeat && {
      url: urlIn(secretIn(heartbeat.urlFile), heartbeat.urlFile),
      everyMs: heartbeat.every,
    },
    telegram: telegramBots.filter(({ users }) => users.length > 0),
    secrets,
  }
}

/** Settings with which no command would ever arrive. */
function commandsMistake(
  bots: readonly { name: string; chat: string; token: string; users: readonly string[] }[],
): string | undefined {
  const commanded = bots.filter(({ users }) => users.length > 0)
  const named = commanded.find(({ chat }) => chat.startsWith('@'))
  if (named) return `telegram.${named.name}.chat must be a number, because it accepts commands`
  const tokens = commanded.map(({ token }) => token)
  const twin = commanded.find(({ token }, index) => tokens.indexOf(token) < index)
  return twin && `telegram.${twin.name} has the token of another target that accepts commands`
}

type Wanted = { level: Alert['level']; also: AlertType[]; except: AlertType[] }

function filterOf({ level, also, except }: Wanted) {
  const least = levels.indexOf(level)
  const named = new Set<string>(also)
  const taken = new Set<string>(usual.filter((type) => !except.includes(type)))
  return (alert: Pick<Alert, 'type' | 'level'>) =>
    named.has(alert.type) || (taken.has(alert.type) && levels.indexOf(alert.level) >= least)
}

function urlIn(text: string, name: string): string {
  const mistake = urlMistake(text)
  if (mistake === undefined) return text
  throw new BotError('FILE_INVALID', {
    seen: `the address in ${name} ${mistake}`,
    fix: 'Write another address',
  })
}

/** Plain http is allowed only to this machine. */
function urlMistake(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be an address such as https://hooks.example/rungs'
  const { protocol, username, password, hash } = new URL(text)
  if (username !== '' || password !== '') return 'must not contain a user or a password'
  if (hash !== '') return 'must not contain a #'
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(text))) return undefined
  return 'must start with https:// unless it is on this machine'
}
