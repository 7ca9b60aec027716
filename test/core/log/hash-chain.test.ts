import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { HashChain, linkOf } from '#src/core/log/hash-chain.ts'

const format = { joint: '+', digits: 12 }
/** A chain of six records. */
const begun = () => new HashChain(format, { seq: 6, link: 'before' })
const digest = (text: string) => hash('sha256', text).slice(0, 12)

test('a link is the hash of the link before, the joint and the record, as a text or as bytes', () => {
  expect(linkOf(format, '', 'one')).toBe(digest('one'))
  expect(linkOf(format, 'before', 'one')).toBe(digest('before+one'))
  expect(linkOf(format, '', Buffer.from('one'))).toBe(digest('one'))
  expect(linkOf(format, 'before', Buffer.from('one'))).toBe(digest('before+one'))
})

test('a chain numbers and links its records, from its beginning or from a later record', () => {
  const chain = new HashChain(format)
  expect(chain.add('one')).toBe(digest('one'))
  expect(chain.add('two')).toBe(digest(`${digest('one')}+two`))
  expect(chain).toMatchObject({ seq: 2, link: digest(`${digest('one')}+two`) })
  const later = new HashChain(format, { seq: 1, link: digest('one') })
  later.add('two')
  expect(later).toEqual(chain)
})

test('a stored record fits the chain only with its number, its content and its link', () => {
  const link = digest('before+one')
  const chain = begun()
  expect(chain.verify({ seq: 7, link }, 'one')).toBeUndefined()
  expect(chain).toMatchObject({ seq: 7, link })
  expect(begun().verify({ seq: 8, link }, 'one')).toBe('7 is missing')
  expect(begun().verify({ seq: 7, link }, 'another')).toBe('7 was changed after it was written')
  expect(begun().verify({ seq: 7, link: 'another' }, 'one')).toBe('7 was changed after it was written')
})
