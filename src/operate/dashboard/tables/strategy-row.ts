import { Decimal } from '#src/core/money/decimal.ts'
import type { State, StrategyState } from '#src/engine/state/state.ts'
import { strategyFields } from '#src/operate/dashboard/strategy-fields.ts'
import type { Tables } from './tables.ts'

/** Descriptions of this many texts are cached: more than a bot has strategies. */
const aboutsMax = 2000

export type Counts = { resting: number; sending: number; doubtful: number }
export const noOrders: Counts = { resting: 0, sending: 0, doubtful: 0 }

export function strategyRow(
  state: State,
  name: string,
  own: StrategyState,
  counts: Counts,
  files: ReadonlyMap<string, string>,
): Tables['strategies'][string] {
  const reasons = Object.entries(own.pauses).map(([by, why]) => `${by}: ${why}`)
  return {
    ...strategyFields(state, name, own),
    pauses: reasons.length === 0 ? null : reasons.join('\n'),
    today: new Decimal(own.worth.result).minus(own.worth.dayBegan).toFixed(),
    ...counts,
    file: files.get(name) ?? null,
    about: aboutOf(own.text),
  }
}

const abouts = new Map<string, string | null>()

/** The first sentence of the first comment, cached by text: at most those of some reloads are kept. */
function aboutOf(text: string): string | null {
  const known = abouts.get(text)
  if (known !== undefined) return known
  if (abouts.size > aboutsMax) abouts.clear()
  const lines = (/^(?:#.*\n|\s*\n)+/.exec(text)?.[0] ?? '')
    .split('\n')
    .map((line) => line.replace(/^#\s?/, '').trim())
  const first = lines.findIndex((line) => line !== '' && !line.startsWith('yaml-language-server'))
  const end = lines.indexOf('', first)
  const paragraph = first === -1 ? '' : lines.slice(first, end === -1 ? undefined : end).join(' ')
  const about = /^.+?[.!?](?=\s|$)/.exec(paragraph)?.[0] ?? (paragraph || null)
  abouts.set(text, about)
  return about
}
