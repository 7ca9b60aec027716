import fc from 'fast-check'

/** Texts that look like numbers, valid and invalid ones. */
export const atomText = fc.constantFrom(
  '0',
  '0.0',
  '1',
  '1.50',
  '999999999999999999.999999999999999999',
  '0.000000000000000001',
)
