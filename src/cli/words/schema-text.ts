const lineWidth = 110

/** A list of plain values, each in a line of its own, behind the text before it. */
const plainList = /^(.*\[)\n((?: +["\w-].*\n)+) +(\],?)$/gm

/** A JSON Schema as `npm run format` writes it: a list of plain values is one line if it fits. */
export function schemaText(schema: object): string {
  const text = JSON.stringify(schema, undefined, 2)
  return text.replace(plainList, (all, begin: string, items: string, end: string) => {
    const line = begin + items.trim().replace(/\n +/g, ' ') + end
    return line.length > lineWidth ? all : line
  })
}
