/** Where the time between a price and its bulk goes inside of a trader: moments with a name, and how long each took to come. */
export class Stages {
  readonly #isWanted: boolean
  readonly #spans = new Map<string, number[]>()
  #ticks = 0
  #since = 0
  #before = 0
  #pace = ''

  constructor(isWanted: boolean) {
    this.#isWanted = isWanted
  }

  begin(): void {
    if (!this.#isWanted) return
    const now = performance.now()
    this.#ticks += 1
    this.#pace = now - this.#since > apartMs ? 'apart' : 'busy'
    this.#since = now
    this.#before = now
  }

  reached(name: string): void {
    if (!this.#isWanted || this.#ticks <= warmUp) return
    const now = performance.now()
    const key = `${this.#pace.padEnd(5)}  ${name}`
    const spans = this.#spans.get(key) ?? []
    this.#spans.set(key, spans)
    spans.push(1000 * (now - this.#before))
    this.#before = now
  }

  get text(): string {
    const lines = [...this.#spans].map(([key, spans]) => `  ${key.padEnd(18)} ${sharesOf(spans)}\n`)
    return lines.toSorted().join('')
  }
}

/** Of each trader before its time is taken: it is a bot that has been at work for an hour. */
export const warmUp = 1500
const apartMs = 15

/** The least, the tenth and the half of some spans. */
export function sharesOf(spans: readonly number[]): string {
  const sorted = spans.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(0).padStart(6)
  return `min ${at(0)}  p10 ${at(0.1)}  p50 ${at(0.5)} us`
}
