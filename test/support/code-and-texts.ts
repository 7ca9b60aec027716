/** A string of a source file, and where it begins. */
export type Text = { value: string; start: number }

/** Comments, strings, and regular expressions where one can begin. */
const notCode = new RegExp(
  [
    String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`,
    String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"`,
    String.raw`(?<=[(,=:[!&|?{};\n]\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/`,
  ].join('|'),
  'y',
)
/** From where a template begins, or goes on after code in it, to its end or the next code. */
const templatePart = /[`}](?:\\.|[^`\\$]|\$(?!\{))*(?:`|\$\{)/sy

/** Blanks what is not code, so that the rest stays at its old place, and keeps the strings. */
export function takeApart(text: string): { code: string; texts: Text[] } {
  const texts: Text[] = []
  const bracesInTemplate: number[] = []
  let code = ''
  for (let start = 0, end = 0; start < text.length; start = end) {
    const inTemplate = text[start] === '`' || (text[start] === '}' && bracesInTemplate.at(-1) === 0)
    const pattern = inTemplate ? templatePart : notCode
    pattern.lastIndex = start
    const part = pattern.exec(text)?.[0]
    end = start + (part ?? ' ').length
    if (part === undefined) {
      if (/[{}]/.test(text[start] ?? ''))
        bracesInTemplate.push((bracesInTemplate.pop() ?? 0) + (text[start] === '{' ? 1 : -1))
      code += text[start] ?? ''
      continue
    }
    if (/^['"`]/.test(part)) texts.push({ value: part.slice(1, -1), start })
    if (inTemplate && part.startsWith('}')) bracesInTemplate.pop()
    if (inTemplate && part.endsWith('{')) bracesInTemplate.push(0)
    code += part.replaceAll(/[^\n]/g, ' ')
  }
  return { code, texts }
}
