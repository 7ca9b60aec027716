import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const guide = readFileSync(new URL('../../docs/strategies.md', import.meta.url), 'utf8')

/** Each YAML block, and the file linked in the paragraph above it. */
const examples = [...guide.matchAll(/\]\(([\w./-]+\.yaml)\)[^[]*?\n```yaml\n(.*?)^```$/gms)].map(
  ([, file = '', text = '']) => ({ file, text }),
)

function withoutComments(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/(?:^|\s+)#.*$/, '').trimEnd())
    .filter((line) => line !== '')
    .join('\n')
}

test('each block of the guide names its source file', () => {
  expect(examples.length).toBeGreaterThan(10)
  // Whole files in documents are checked by test/docs.
  const wholeFiles = guide.match(/^```yaml\nversion: 1\nname: .*\n(?:needs|markets): /gm) ?? []
  expect(guide.match(/^```yaml$/gm)).toHaveLength(examples.length + wholeFiles.length)
})

test.each(examples)('the guide shows a part of $file unchanged', ({ file, text }) => {
  const whole = withoutComments(readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8'))
  for (const part of withoutComments(text).split(/\n(?=\S)/)) expect(`\n${whole}\n`).toContain(`\n${part}\n`)
})
