import { readResultLines } from '#src/research/backtest/result/result-file.ts'
import { resultJsonSchema } from '#src/research/backtest/result/result-schema.ts'
import { usage } from '#src/cli/words/usage.ts'
import { writeReport } from '#src/cli/files/report-file.ts'
import { schemaText } from '#src/cli/words/schema-text.ts'
import { printed } from '#src/cli/words/printed.ts'
import { textIn } from '#src/cli/files/named-file.ts'

export type ReportFlags = { out?: string; schema?: boolean }

/** `rungs report RESULT`: writes the page of a stored result. */
export async function report(path: string | undefined, flags: ReportFlags): Promise<number> {
  if (flags.schema === true) return printed(schemaText(resultJsonSchema()))
  if (path === undefined) {
    throw usage('report needs a file', 'Name a file with the output of rungs backtest --json')
  }
  const { elapsedMs: _, ...result } = readResultLines(path, textIn(path))
  const out = flags.out ?? `${path.replace(/\.[a-z]*json[a-z]*$/i, '')}.html`
  await writeReport(out, result)
  return printed(out)
}
