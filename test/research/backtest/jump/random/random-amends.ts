/** The same file, and its ladders are quotes that follow the price and are amended: one rests at a time, so few move at once. */
export function amendedQuotes(text: string): string {
  const markets = [...text.matchAll(/^ {2}m(\d): { symbol/gm)].map(([, number]) => number)
  const books = markets.map((number) => `\n  q${number}: { source: book, market: m${number} }`)
  return text
    .replaceAll(/^ {2}l\d: {.*$/gm, amended)
    .replace('needs: [', 'needs: [amend, ')
    .replace('\nfeeds:', `\nfeeds:${books.join('')}`)
    .replace(/max_open_orders: \d+/, 'max_open_orders: 40')
}

function amended(ladder: string): string {
  const [, market = ''] = /market: m(\d)/.exec(ladder) ?? []
  return ladder
    .replace(/, exit: {.*}(?=, below_min:)/, '')
    .replace(/, resting: {[^}]*}/, '')
    .replace(/, rebase: (?:{[^}]*}|\w+)/, '')
    .replace(
      /anchor: .*?, levels: /,
      `anchor: mid(q${market}), rebase: { drift: 0.05%, min_gap: 3s, amend: true }, resting: { max: 1 }, levels: `,
    )
}
