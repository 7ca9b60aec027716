import type { Manner } from './run-output.ts'
import { LiveView, type Shown } from './live-view.ts'

/** What a run prints on the terminal beside its events: greeting, live view or dashboard link, and the last text. */
export class RunTerminal {
  readonly view: LiveView | undefined
  readonly manner: Manner
  readonly #isWatched: boolean
  #lastText = ''
  #isReadable = true

  constructor(isJson: boolean, stop: () => void) {
    this.#isWatched = !isJson && process.stdout.isTTY
    this.view = !isJson && LiveView.fits() ? new LiveView(stop) : undefined
    this.manner = isJson ? 'json' : this.view ? 'nothing' : 'lines'
  }

  /** Whether the texts at the end are printed: a person reads stdout, and the terminal still accepts output. */
  get isRead(): boolean {
    return this.#isWatched && this.#isReadable
  }

  greet(strategies: number): void {
    const count = strategies === 1 ? 'one strategy' : `${strategies} strategies`
    if (this.view) process.stdout.write(`Rungs starts with ${count} …\n`)
  }

  /** The link gives full control of the bot: print it for a person, never into a file. */
  open(shown: Shown): void {
    if (this.view) this.view.open(shown)
    else if (this.#isWatched) process.stdout.write(`Dashboard: ${shown.link}\n`)
  }

  async closeView(): Promise<void> {
    if ((await this.view?.close()) === false) this.#isReadable = false
  }

  /** Printed after everything is closed: a terminal that accepts no output must not delay the shutdown. */
  atTheEnd(text: string): void {
    if (this.isRead) this.#lastText = text
  }

  printLastText(): void {
    process.stdout.write(this.#lastText)
  }
}
