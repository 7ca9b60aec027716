/** A variable of a loop in a text, such as `$m`. */
export const variable = /\$([a-z][a-z0-9_]*)/g

/** A text with the name of a market in place of a variable. */
export function substituted(text: string, name: string, market: string): string {
  return text.replaceAll(variable, (whole, found: string) => (found === name ? market : whole))
}
