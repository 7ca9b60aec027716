/** Who holds what stands in one of these has what it is for: tokens of streams, codes that are money, and what opens those. */
export const bearerNames: ReadonlySet<string> = new Set([
  'websocket_token',
  'websocketToken',
  'code',
  'passphrase',
])
