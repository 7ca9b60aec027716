import fc from 'fast-check'

/** Texts of numbers that look alike and are none, beside some that are. */
export const atomText = fc.constantFrom(
  '0',
  '0.0',
  '1',
  '1.50',
  '999999999999999999.999999999999999999',
  '0.000000000000000001',
)
