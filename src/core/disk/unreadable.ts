import { existsSync } from 'node:fs'
import { isAbsolute, join, normalize, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind, systemCode } from '#src/core/errors/system-errors.ts'

const packageFolder = fileURLToPath(new URL('../../../', import.meta.url))

/** The error of a file that a person named and that cannot be read. */
export function unreadable(path: string, cause: unknown): BotError {
  const seen = `${path}${codeBehind(cause)}`
  const fix = fixIfPackaged(path, cause)
  return new BotError('FILE_UNREADABLE', { seen, cause, ...(fix !== undefined && { fix }) })
}

/** The documents name files of the package by their path in it, which in an installation is not the current folder. */
export function fixIfPackaged(path: string, cause: unknown): string | undefined {
  // An empty path is the folder itself, too.
  const [first = '.'] = normalize(path).split(sep)
  if (systemCode(cause) !== 'ENOENT' || isAbsolute(path) || first === '.' || first === '..') return undefined
  const packaged = join(packageFolder, path)
  return existsSync(packaged) ? `it is packaged: ${relative(process.cwd(), packaged)}` : undefined
}
