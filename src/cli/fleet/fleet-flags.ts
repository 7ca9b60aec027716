import type { ExposureLimit } from '#src/fleet/exposure.ts'
import { usage } from '#src/cli/words/usage.ts'

/** A share of the accounts, as a share of 1. */
export function percentOf(text: string): number {
  const percent = /^\d{1,3}(?:\.\d{1,2})?%$/.test(text) ? Number(text.slice(0, -1)) : Infinity
  if (percent > 0 && percent <= 100) return percent / 100
  throw usage(`"${text.slice(0, 20)}" is not a share of accounts`, 'Write a percentage such as 5% or 100%')
}

/** An amount, or one for a market. */
export function exposureLimitOf(
  text: string,
  earlier: readonly ExposureLimit[] | undefined,
): ExposureLimit[] {
  const [, market, most] = /^(?:([\w-]{1,40})=)?(\d{1,15}(?:\.\d{1,8})?)$/.exec(text) ?? []
  if (most !== undefined) return [...(earlier ?? []), { market, most }]
  throw usage(
    `"${text.slice(0, 40)}" is not a limit of exposure`,
    'Write an amount such as 50000, or one for a market such as BTC_PERP=50000',
  )
}
