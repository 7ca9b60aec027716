import { usualOf, type Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import type { page } from '#src/venues/whitebit/contract/fields.ts'
import type { z } from 'zod'

type Listing = Endpoint & { request: z.ZodObject<ReturnType<typeof page>> }
type Page = { limit: number; offset: number }

/** The part of a list that a call asks for, or the default part. */
export function pageOf(
  row: Listing,
  { limit, offset }: { [Field in keyof Page]?: number | undefined },
): Page {
  return { limit: limit ?? usualOf(row, 'limit'), offset: offset ?? usualOf(row, 'offset') }
}
