import { heldPrice } from '#src/engine/holdings/profit-and-loss.ts'
import type { State } from '#src/engine/state/state.ts'
import type { MemberReport } from '#src/fleet/member-report.ts'
import { textHash } from '#src/fleet/rollouts.ts'
import type { CompiledByName } from '#src/operate/dashboard/strategy-cache.ts'
import { statusOf } from '#src/operate/dashboard/status.ts'
import type { Connectivity } from '#src/runtime/account/connectivity.ts'

type About = { version: string; lost: Connectivity['lost']; alerts: number }

/** What this process reports to its fleet. */
export function reportOf(
  state: State,
  known: CompiledByName,
  { version, lost, alerts }: About,
): MemberReport {
  const { stopped, drift, equity, strategies } = statusOf(state, known, null)
  return {
    version,
    stopped,
    drift,
    lost: lost?.reason ?? null,
    equity,
    alerts,
    strategies: strategies.map((each) => ({
      name: each.name,
      text: textHash(state.strategies[each.name]?.text ?? ''),
      running: each.running,
      halted: each.halted,
      paused: Object.keys(each.pauses).length > 0,
      flattening: each.flattening,
      result: each.result,
      orders: each.orders.resting + each.orders.sending + each.orders.doubtful.length,
      holdings: each.holdings.map(({ market, symbol, position }) => ({
        market: symbol,
        position,
        value: valueOf(state, known, { strategy: each.name, market, symbol }),
      })),
    })),
  }
}

function valueOf(
  state: State,
  known: CompiledByName,
  { strategy, market, symbol }: { strategy: string; market: string; symbol: string },
): string | null {
  const holding = state.strategies[strategy]?.holdings[market]
  const compiled = known.get(strategy)?.strategy
  if (holding === undefined || holding.position === '0') return '0'
  const price = compiled && heldPrice(state, compiled, symbol, holding)
  return price?.times(holding.position).toFixed() ?? null
}
