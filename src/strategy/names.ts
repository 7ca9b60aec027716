type Let = { name: string; program: { text: string } }

/** The names in some expressions, and in each `let` that they use. */
export function namesIn(texts: readonly string[], lets: readonly Let[]): Set<string> {
  const names = new Set<string>()
  const left = [...texts]
  for (let text = left.pop(); text !== undefined; text = left.pop()) {
    for (const name of text.replaceAll(/"[^"]*"|'[^']*'/g, '').match(/\b[a-z]\w*/g) ?? []) {
      if (names.has(name)) continue
      names.add(name)
      left.push(...lets.filter((one) => one.name === name).map(({ program }) => program.text))
    }
  }
  return names
}
