import { expect } from 'vitest'

/** An object without properties. In `toMatchObject`, `{}` itself matches every object, and none at all. */
export const empty: unknown = expect.toSatisfy(
  (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0,
)
