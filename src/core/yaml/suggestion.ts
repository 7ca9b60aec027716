/**
 * The known name that was probably meant, or undefined if none is similar: at most a third of it may differ, or it is
 * the only name that starts with the text.
 */
export function closest(text: string, known: readonly string[]): string | undefined {
  const wanted = plain(text)
  let best: string | undefined
  let bestDistance = Infinity
  for (const name of known) {
    // Of two equal distances, a changed letter is nearer than one too many: 15m is nearer to 10m than 1m is.
    const away = distance(wanted, plain(name)) + (plain(name).length === wanted.length ? 0 : lengthWeight)
    if (away < bestDistance && Math.floor(away) <= Math.max(1, Math.floor(name.length / 3))) {
      best = name
      bestDistance = away
    }
  }
  const longer = known.filter((name) => plain(name).startsWith(wanted))
  return best ?? (wanted.length >= leastBegun && longer.length === 1 ? longer[0] : undefined)
}

const lengthWeight = 0.5

/** Fewer letters are the start of too many names. */
const leastBegun = 3

/** `, did you mean "x"?` to append to a message, or nothing. */
export function suggestion(text: string, known: readonly string[]): string {
  const hint = hintOf(text, known)
  return hint === undefined ? '' : `, ${hint}`
}

/** The suggestion as a separate sentence. */
export function hintOf(text: string, known: readonly string[]): string | undefined {
  const meant = closest(text, known)
  return meant === undefined ? undefined : `did you mean "${meant}"?`
}

/** Case and separators are the most frequent mistakes, so they do not count as edits. */
function plain(text: string): string {
  return text.slice(0, 64).toLowerCase().replaceAll(/[-_ ]/g, '')
}

/** The edit distance of two texts; swapping two neighbours is one edit. */
function distance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const changed = from[row - 1] === to[column - 1] ? 0 : 1
      let edits = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + changed)
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (row > 1 && column > 1 && swapped) edits = Math.min(edits, at(beforeLast, column - 2) + 1)
      current.push(edits)
    }
    beforeLast = last
    last = current
  }
  return at(last, to.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity
}
