import { createHmac, createSecretKey } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Hmac } from '#src/contract/hmac.ts'
import { runs } from './runs.ts'

test('what signs is HMAC-SHA512, for keys shorter and longer than a block and for any text', () => {
  const keys = fc.uint8Array({ minLength: 1, maxLength: 300 })
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 400 }), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(keys, texts, (bytes, texts) => {
      const hmac = new Hmac(createSecretKey(bytes))
      for (const text of texts) {
        const known = createHmac('sha512', bytes).update(text).digest('hex')
        expect(hmac.digest(text).toString('hex')).toBe(known)
      }
    }),
    runs(500, 20_000),
  )
})
