import parse from 'parse-prometheus-text-format'
import { z } from 'zod'

const labels = z.record(z.string(), z.string()).default({})
const families = z.array(
  z.object({
    name: z.string(),
    help: z.string(),
    type: z.enum(['COUNTER', 'GAUGE', 'HISTOGRAM']),
    metrics: z.array(
      z.object({
        labels,
        value: z.string().optional(),
        buckets: z.record(z.string(), z.string()).optional(),
        sum: z.string().optional(),
        count: z.string().optional(),
      }),
    ),
  }),
)

export type Exposed = z.output<typeof families>

/** Reads a page of metrics with an independent parser. */
export function exposed(text: string): Exposed {
  return families.parse(parse(text))
}

/** The value of one sample; undefined without one. */
export function valueIn(
  page: Exposed,
  name: string,
  about: Readonly<Record<string, string>> = {},
): string | undefined {
  const found = page
    .find((family) => family.name === name)
    ?.metrics.filter(({ labels }) => Object.entries(about).every(([label, value]) => labels[label] === value))
  if (found !== undefined && found.length > 1) throw new Error(`${name} says more than one thing of that`)
  return found?.[0]?.value
}
