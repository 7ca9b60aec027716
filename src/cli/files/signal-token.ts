import { readSecretFile } from '#src/core/disk/secret-file.ts'
import { BotError } from '#src/core/errors/bot-error.ts'

const lettersMin = 20
const variable = 'RUNGS_SIGNAL_TOKEN'

/**
 * The token of `POST /signal`; undefined if none is set. It is taken out of the environment: children and crash reports must not
 * inherit it.
 */
export function signalTokenFrom(environment: NodeJS.ProcessEnv): string | undefined {
  const text = environment[variable]
  const file = environment[`${variable}_FILE`]
  delete environment[variable]
  if (text !== undefined && file !== undefined)
    throw new BotError('SETTING_INVALID', { seen: `${variable} is given twice: as text and as a file` })
  const token = file === undefined ? text : readSecretFile(file)
  if (token === undefined || new RegExp(`^[\\x21-\\x7e]{${lettersMin},256}$`).test(token)) return token
  throw new BotError('SETTING_INVALID', {
    seen: `the token in ${file ?? variable} must be one word of ${lettersMin} to 256 letters`,
    fix: 'Make one with: openssl rand -hex 24',
  })
}
