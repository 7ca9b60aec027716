/** The same file, and its stops rest at the venue; empty if it has none. */
export function restingStops(text: string): string {
  if (!text.includes('stop: {')) return ''
  return text
    .replaceAll(/stop: { pct: (\S+) }/g, 'stop: { pct: $1, mode: resting }')
    .replace('needs: [', 'needs: [conditional_orders, ')
}
