import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { isLoopback } from '#src/core/network/loopback.ts'
import { costTexts } from '#src/venues/whitebit/contract/market-costs.ts'
import { Secret, type Credentials } from '#src/venues/whitebit/contract/wire/signing.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { addressMistake, streamAddressMistake } from '#src/core/network/address.ts'
import { readSecretFile } from '#src/core/disk/secret-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'

/** One venue to trade at: where it is, how it writes, and who we are there. */
export type VenueSettings = ReturnType<typeof loadVenueFile>

/** What stands above the file: flags first, then the environment. */
export type VenueSources = {
  path: string
  flags?: { url?: string | undefined; euUrl?: string | undefined }
  environment?: NodeJS.ProcessEnv
}

const spellings = ['spec', 'camel'] as const
const nonceModes = ['strict', 'window'] as const
const addressText = (mistakeIn: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const mistake = mistakeIn(text)
    if (mistake !== undefined) context.addIssue({ code: 'custom', message: mistake })
  })
const address = addressText(addressMistake)
const word = z.string().regex(/^[\x21-\x7e]{1,256}$/, 'must be one word without spaces')
const filePath = z.string().min(1, 'must name a file')
const environmentName = z.string().regex(/^[A-Z_][A-Z0-9_]*$/, 'must be the name of an environment variable')

const wholeNumber = (most: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,3}$/, 'must be a whole number from 1')
    .transform(Number)
    .pipe(z.int().max(most, `must be at most ${most}`))
const seconds = z
  .string()
  .regex(/^\d{1,4}s$/, 'must be whole seconds, such as 60s')
  .transform((text) => Number(text.slice(0, -1)) * 1000)

const money = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?$/, 'must be a plain number, such as 5000')
  .refine((text) => /[1-9]/.test(text), 'must be above zero')

/** The file as it is written; config/live.example.yaml explains every setting of it. */
export const venueSchema = z.strictObject({
  url: address,
  euUrl: address.optional(),
  streamUrl: addressText(streamAddressMistake).optional(),
  spelling: z.enum(spellings).default('spec'),
  nonce: z.enum(nonceModes).default('strict'),
  clientIds: z.enum(['forever', 'until-ended', 'unproven']).default('unproven'),
  stopOnFailAnswer: z.enum(['included', 'absent', 'full', 'unproven']).default('unproven'),
  batchMax: wholeNumber(1000).prefault('20'),
  // Longer than any venue of the family is known to take; one that acts at once can say 0s.
  settle: seconds.prefault('60s'),
  leverage: wholeNumber(100).optional(),
  shortSide: z.enum(['true', 'false']).default('false'),
  limits: z
    .strictObject({
      max_notional: z.record(z.string(), money).default({}),
      max_open_orders: wholeNumber(9999).optional(),
      daily_loss: money.optional(),
    })
    .optional(),
  account: z
    .string()
    .regex(/^[0-9a-f]{16}$/, 'must be the sixteen letters that rungs run prints')
    .optional(),
  world: filePath.optional(),
  prices: z.record(z.string(), filePath).default({}),
  markets: z.record(z.string(), costTexts).default({}),
  key: word.optional(),
  secret: word.optional(),
  keyFile: filePath.optional(),
  secretFile: filePath.optional(),
  keyEnv: environmentName.optional(),
  secretEnv: environmentName.optional(),
})

type VenueFile = z.output<typeof venueSchema>
/** Where the two halves of the credentials may come from: a text, a file that holds it, or neither. */
type Half = { text: string | undefined; file: string | undefined; name: string }

/** Reads the venue file under the flags and the RUNGS_ variables, and takes the secrets out of the environment. */
export function loadVenueFile({ path, flags = {}, environment = process.env }: VenueSources) {
  if (path.includes('://'))
    throw new BotError('FILE_UNREADABLE', {
      seen: `${path} is an address; --venue needs a venue file`,
      fix: 'Write the address as url into a file like config/live.example.yaml, and name that file',
    })
  const file = readYaml(path, venueSchema, { confidential: true })
  const url = pick([flags.url, '--url'], [environment['RUNGS_URL'], 'RUNGS_URL']) ?? file.url
  // The second address of the file belongs to the first one of the file, not to one from elsewhere.
  const euUrl =
    pick([flags.euUrl, '--eu-url'], [environment['RUNGS_EU_URL'], 'RUNGS_EU_URL']) ??
    (url === file.url ? file.euUrl : undefined)
  const local = [url, euUrl].every((each) => each === undefined || isLoopback(each))
  return {
    url: new URL(url).origin,
    euUrl: euUrl === undefined ? undefined : new URL(euUrl).origin,
    /** The address of the streams; undefined where it is the path /ws of `url`. */
    // Like the second address, it belongs to the first one of the file.
    streamUrl: url === file.url ? file.streamUrl : undefined,
    spelling: choice(environment, 'RUNGS_SPELLING', spellings) ?? file.spelling,
    nonce: choice(environment, 'RUNGS_NONCE', nonceModes) ?? file.nonce,
    /** What the venue does about a client_order_id that was used before, as far as its operator knows. */
    clientIds: file.clientIds,
    /** How the venue answers a bulk that stopOnFail has ended; undefined where its operator does not know. */
    stopOnFailAnswer: file.stopOnFailAnswer === 'unproven' ? undefined : file.stopOnFailAnswer,
    /** Orders in one bulk at most. */
    batchMax: file.batchMax,
    /** The longest time between the admission of a request and its traces in the lists of the venue. */
    settleMs: file.settle,
    /**
     * Set where the trading balance shows what collateral orders hold back, which is their notional divided by this, and
     * where no other program or person trades on the account or holds a position.
     */
    leverage: file.leverage,
    /** Whether positionSide SHORT is a position of its own, for a venue that does not tell it. */
    shortSide: file.shortSide === 'true',
    /** What all strategies together may have on the account, in money as text: by market, and as `total`. */
    limits: file.limits,
    /** The fingerprint of the key that is meant, so that no other account is traded by mistake. */
    account: file.account,
    /** Files with the prices of markets, by their names, for a venue that does not tell them. */
    prices: Object.fromEntries(
      Object.entries(file.prices).map(([market, name]) => [market, resolve(dirname(path), name)]),
    ),
    /** A world file with the rules of the markets, for a venue that does not tell them. */
    world: file.world === undefined ? undefined : resolve(dirname(path), file.world),
    /** Undefined when nothing names them: public calls still work. */
    credentials: credentialsFrom(environment, file, path, local),
  }
}

function pick(...candidates: [string | undefined, string][]): string | undefined {
  const [text, name] = candidates.find(([text]) => text !== undefined) ?? []
  if (text === undefined || name === undefined) return undefined
  const mistake = addressMistake(text)
  if (mistake !== undefined) throw new BotError('SETTING_INVALID', { seen: `${name} ${mistake}` })
  return text
}

function choice<const Value extends string>(
  environment: NodeJS.ProcessEnv,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = environment[name]
  if (text === undefined) return undefined
  const value = values.find((each) => each === text)
  if (value !== undefined) return value
  throw new BotError('SETTING_INVALID', { seen: `${name} must be one of ${values.join(', ')}` })
}

/** Both halves come from one place: a key of the environment with a secret of the file would fit no account. */
function credentialsFrom(
  environment: NodeJS.ProcessEnv,
  file: VenueFile,
  path: string,
  local: boolean,
): Credentials | undefined {
  const own = (name: string): Half => {
    return { text: taken(environment, name), file: environment[`${name}_FILE`], name }
  }
  const named = (half: string, variable?: string, text?: string, name?: string): Half => ({
    text: taken(environment, variable) ?? text,
    file: name === undefined ? undefined : resolve(dirname(path), name),
    name: variable ?? `${half} of ${path}`,
  })
  const [ownKey, ownSecret] = [own('RUNGS_KEY'), own('RUNGS_SECRET')]
  const key = named('key', file.keyEnv, file.key, file.keyFile)
  const secret = named('secret', file.secretEnv, file.secret, file.secretFile)
  if (isSet(ownKey) || isSet(ownSecret)) return pairOf(ownKey, ownSecret)
  if (file.secret !== undefined && !local) {
    throw new BotError('SECRET_EXPOSED', {
      seen: `${path} holds a secret, and the address is not on this machine`,
      fix: 'Put the secret into a file of its own (chmod 600) and name it as secretFile',
    })
  }
  if (!isSet(key) && !isSet(secret)) return undefined
  return pairOf(key, secret)
}

function isSet(half: Half): boolean {
  return half.text !== undefined || half.file !== undefined
}

function pairOf(key: Half, secret: Half): Credentials {
  return { key: valueOf(key), secret: new Secret(valueOf(secret)) }
}

function valueOf({ text, file, name }: Half): string {
  if (text !== undefined && file !== undefined) {
    throw new BotError('SETTING_INVALID', { seen: `${name} is given twice: as text and as a file` })
  }
  if (file !== undefined) return readSecretFile(file)
  if (text === undefined) throw new BotError('KEY_MISSING', { seen: `${name} is missing` })
  if (/^[\x21-\x7e]{1,256}$/.test(text)) return text
  throw new BotError('SETTING_INVALID', { seen: `${name} must be one word` })
}

/** Reads a variable once: children and crash reports must not inherit it. */
function taken(environment: NodeJS.ProcessEnv, name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  const text = environment[name]
  delete environment[name]
  return text
}
