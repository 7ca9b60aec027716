/** Escapes control characters in text from outside, which could control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0
    return `\\u${code.toString(16).padStart(4, '0')}`
  })
}

export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}
