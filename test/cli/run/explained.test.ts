import { styleText } from 'node:util'
import { expect, test } from 'vitest'
import { explainedBy } from '#src/cli/run/live-view.ts'

test('an explanation is plain lines, and an error in it is one of them', () => {
  expect(
    explainedBy(
      (strategy) => `${styleText('bold', strategy, { validateStream: false })}\n  state: running`,
      'sgrid',
    ),
  ).toEqual(['sgrid', '  state: running'])
  const broken = explainedBy(() => {
    throw new Error('database is locked')
  }, 'sgrid')
  expect(broken).toEqual(['The explanation failed, and the bot continues: database is locked'])
})
