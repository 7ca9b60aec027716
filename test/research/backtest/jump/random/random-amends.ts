/** The same file, and its ladders that follow an anchor are quotes that are amended; empty if it has none. */
export function amendedQuotes(text: string): string {
  const lines = text.split('\n')
  if (!lines.some(follows)) return ''
  return lines
    .map((line) => (follows(line) ? amended(line) : line))
    .join('\n')
    .replace('needs: [', 'needs: [amend, ')
}

function follows(line: string): boolean {
  return line.includes('rebase: { drift')
}

/** Without exits, and in most files with few orders: more of them would be cancelled and placed together. */
function amended(ladder: string): string {
  const quotes = ladder
    .replace(/, exit: {.*}(?=, below_min:)/, '')
    .replace(/(?<=rebase: {[^}]*)(?= })/, ', amend: true')
  return quotes.includes('resting: ')
    ? quotes
    : quotes.replace(', below_min:', ', resting: { max: 2 }, below_min:')
}
