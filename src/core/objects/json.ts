/** The value of a text from outside; undefined if the text is not JSON, which has no undefined. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
