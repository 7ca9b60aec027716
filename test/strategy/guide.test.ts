import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const guide = readFileSync(new URL('../../docs/strategies.md', import.meta.url), 'utf8')

/** Each block of YAML, and the file that the paragraph above it links to. */
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

test('each block of the guide names the file that it is from', () => {
  expect(examples.length).toBeGreaterThan(10)
  // A whole file is checked by test/docs, like those of other documents.
  const wholeFiles = guide.match(/^```yaml\nversion: 1\nname: .*\nneeds: /gm) ?? []
  expect(guide.match(/^```yaml$/gm)).toHaveLength(examples.length + wholeFiles.length)
})

test.each(examples)('the guide shows a part of $file as it is', ({ file, text }) => {
  const whole = withoutComments(readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8'))
  for (const part of withoutComments(text).split(/\n(?=\S)/)) expect(`\n${whole}\n`).toContain(`\n${part}\n`)
})
