import { caps } from '#src/exchange/caps.ts'
import { drawUuid, type ExchangeAccount, type ExchangeState } from '#src/exchange/state.ts'

/** Tokens for the private channels of the stream: whoever holds one is the account, until it ends. */
const lifetimeMs = 300_000
export function grantToken(state: ExchangeState, account: ExchangeAccount, now: number): string {
  const { streamTokens } = account
  for (const [token, endsAt] of streamTokens) {
    if (endsAt <= now || streamTokens.size >= caps.streamTokens) streamTokens.delete(token)
  }
  const token = drawUuid(state, account)
  streamTokens.set(token, now + lifetimeMs)
  return token
}

/** The name of the account that a token stands for at a moment, or undefined when it stands for none. */
export function accountOfToken(state: ExchangeState, token: string, now: number): string | undefined {
  for (const { name, streamTokens } of state.accounts.values()) {
    if ((streamTokens.get(token) ?? 0) > now) return name
  }
  return undefined
}
