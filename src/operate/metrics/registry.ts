import { families, type LabelsOf, type MetricName, type NameOf, type Sample } from './metric-families.ts'
import { keysOf } from '#src/core/objects/objects.ts'

/** Upper bounds in seconds: from the duration of a step to the wait of a call. */
const bounds = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15] as const
/** In one family. Further series are counted together, with the labels `other`. */
export const seriesMax = 500

type Labels = Readonly<Record<string, string>>
type Sum = { labels: Labels; value: number }
type Histogram = { labels: Labels; counts: number[]; sum: number }

/** Counters and histograms, written in the Prometheus text format 0.0.4. */
export class Registry {
  readonly #sums = new Map<MetricName, Map<string, Sum>>()
  readonly #histograms = new Map<MetricName, Map<string, Histogram>>()

  add<Name extends NameOf<'counter'>>(name: Name, labels: LabelsOf<Name>, by = 1): void {
    seriesOf(this.#sums, name, labels, (own) => ({ labels: own, value: 0 })).value += by
  }

  observe<Name extends NameOf<'histogram'>>(name: Name, labels: LabelsOf<Name>, seconds: number): void {
    const series = seriesOf(this.#histograms, name, labels, (own) => ({
      labels: own,
      counts: Array.from({ length: bounds.length + 1 }, () => 0),
      sum: 0,
    }))
    const index = bounds.findIndex((bound) => seconds <= bound)
    const bucket = index === -1 ? bounds.length : index
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
    series.sum += seconds
  }

  /** Writes counters, histograms and these current values, all with these labels. */
  text(samples: readonly Sample[], common: Labels = {}): string {
    const now = Map.groupBy(samples, ({ name }) => name)
    return names
      .map((name) => {
        const rows = [
          ...(now.get(name) ?? []).map(({ labels, value }) => line(name, { ...labels, ...common }, value)),
          ...[...(this.#sums.get(name)?.values() ?? [])].map(({ labels, value }) =>
            line(name, { ...labels, ...common }, value),
          ),
          ...[...(this.#histograms.get(name)?.values() ?? [])].flatMap((each) =>
            histogramLines(name, { ...each, labels: { ...each.labels, ...common } }),
          ),
        ]
        const { help, type } = families[name]
        return rows.length === 0
          ? ''
          : `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${rows.join('\n')}\n`
      })
      .join('')
  }
}

const names = keysOf(families)

function seriesOf<Series>(
  all: Map<MetricName, Map<string, Series>>,
  name: MetricName,
  labels: Labels,
  begin: (labels: Labels) => Series,
): Series {
  let own = all.get(name)
  if (own === undefined) all.set(name, (own = new Map()))
  const key = keyOf(name, labels)
  const known = own.get(key)
  if (known !== undefined) return known
  if (own.size >= seriesMax && key !== keyOf(name, others(name)))
    return seriesOf(all, name, others(name), begin)
  const series = begin(labels)
  own.set(key, series)
  return series
}

function keyOf(name: MetricName, labels: Labels): string {
  return families[name].labels.map((label) => labels[label]).join('\0')
}

function others(name: MetricName): Labels {
  return Object.fromEntries(families[name].labels.map((label) => [label, 'other']))
}

function histogramLines(name: string, { labels, counts, sum }: Histogram): string[] {
  let below = 0
  const buckets = [...bounds, Infinity].map((bound, index) => {
    below += counts[index] ?? 0
    return line(`${name}_bucket`, { ...labels, le: numberText(bound) }, below)
  })
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, below)]
}

function line(name: string, labels: Labels, value: number | string): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${label}="${escaped(text).replaceAll('"', String.raw`\"`)}"`,
  )
  const about = pairs.length === 0 ? '' : `{${pairs.join(',')}}`
  return `${name}${about} ${typeof value === 'number' ? numberText(value) : value}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`)
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf'
  return value === -Infinity ? '-Inf' : String(value)
}
