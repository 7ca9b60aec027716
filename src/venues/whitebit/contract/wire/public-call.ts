import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { withNumbersRead } from './number-text.ts'
import { noProblems, type Problems } from './problems.ts'

/**
 * Where the parameters of a public call stand: one may be the end of its path, the others are text behind the
 * question mark, which the schema of the row says how to read. A market's name needs no escaping in either.
 */
export function writePublicCall(
  row: Endpoint,
  wire: Record<string, unknown>,
): { path: string; query: string } {
  const { stem, parameter } = takenApart(row.path)
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(wire)) {
    if (name === parameter || value === undefined) continue
    query.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return {
    path: parameter === undefined ? stem : `${stem}${String(wire[parameter])}`,
    query: query.toString(),
  }
}

/** What the other side understands; whether it fits is for the row to say. */
export function readPublicCall(
  row: Endpoint,
  path: string,
  query: string,
): { parameters: Record<string, unknown> } | { problems: Problems } {
  const { stem, parameter } = takenApart(row.path)
  const given = new Map<string, unknown>(
    parameter === undefined ? [] : [[parameter, path.slice(stem.length)]],
  )
  for (const [name, text] of new URLSearchParams(query)) {
    if (given.has(name)) {
      const problems = noProblems()
      problems[name] = ['This parameter is given twice.']
      return { problems }
    }
    given.set(name, text)
  }
  return { parameters: withNumbersRead(row.request, Object.fromEntries(given)) }
}

/** By what a router finds a path: all of it, or what stands before the parameter at its end. */
export function stemOf({ path }: Endpoint): string {
  return takenApart(path).stem
}

function takenApart(path: string): { stem: string; parameter: string | undefined } {
  const [, stem = path, parameter] = /^(.*\/)\{(\w+)\}$/.exec(path) ?? []
  return { stem, parameter }
}
