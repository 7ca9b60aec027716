import { readFileSync } from 'node:fs'
import { readResultLines, resultJsonSchema } from '#src/research/backtest/result/result-file.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { codeBehind } from '#src/core/errors/system-errors.ts'
import { writeReport } from '#src/cli/files/report-file.ts'
import { schemaText } from '#src/cli/words/schema-text.ts'

export type ReportFlags = { out?: string; schema?: boolean }

/** `rungs report RESULT`: writes the page of a stored result. */
export async function report(path: string | undefined, flags: ReportFlags): Promise<number> {
  if (flags.schema === true) {
    process.stdout.write(schemaText(resultJsonSchema()))
    return exitCodes.ok
  }
  if (path === undefined) {
    throw new BotError('USAGE', {
      seen: 'report needs a file',
      fix: 'Name a file with the output of rungs backtest --json',
    })
  }
  const { elapsedMs: _, ...result } = readResultLines(path, textOf(path))
  const out = flags.out ?? `${path.replace(/\.[a-z]*json[a-z]*$/i, '')}.html`
  await writeReport(out, result)
  process.stdout.write(`${out}\n`)
  return exitCodes.ok
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new BotError('FILE_UNREADABLE', { seen: `${path}${codeBehind(cause)}`, cause })
  }
}
