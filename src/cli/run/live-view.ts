import { stripVTControlCharacters } from 'node:util'
import type { Tables } from '#src/operate/dashboard/tables/tables.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { vocabulary, type BotEvent } from '#src/core/log-events/vocabulary.ts'
import { frame, type TerminalView } from '#src/operate/terminal/frame.ts'
import { wordsOf, type Said } from '#src/cli/words/event-text.ts'
import type { OperatorCommand } from '#src/operate/dashboard/operator-commands.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { isInForeground, Screen } from './screen.ts'
import { ShownEvents } from './shown-events.ts'

/** What a view shows of a bot. */
export type Shown = {
  tables: () => Tables
  link: string
  /** Applies a command; returns why it cannot apply. */
  operate: (command: OperatorCommand) => string | undefined
  /** Why a strategy places no orders, as `rungs why STRATEGY` prints it. */
  why: (strategy: string) => string
}

/** Commands for the selected strategy, by key. Each is confirmed once. */
const commands: Readonly<
  Record<string, (strategy: string) => { question: string; command: OperatorCommand }>
> = {
  s: (strategy) => ({
    question: `Stop ${strategy}: no new entries, and cancel its open entries?`,
    command: { kind: 'operator', act: 'halt', strategy, reason },
  }),
  p: (strategy) => ({
    question: `Pause ${strategy}: no new entries, and leave its open entries at the venue?`,
    command: { kind: 'operator', act: 'pause', strategy, reason },
  }),
  f: (strategy) => ({
    question: `Flatten ${strategy}: cancel its orders and close its positions at the market?`,
    command: { kind: 'operator', act: 'halt', strategy, reason, flatten: true },
  }),
  r: (strategy) => ({
    question: `Resume ${strategy}?`,
    command: { kind: 'operator', act: 'resume', strategy, reason },
  }),
}
const reason = 'by a key on the terminal'

const everyMs = 250
const newsMax = 100

/** The live view of a bot on a terminal, redrawn after changes. No step of the bot waits for it. */
export class LiveView {
  readonly #screen: Screen
  readonly #end: () => void
  readonly #shownEvents = new ShownEvents()
  readonly #news: { level: string; line: string }[] = []
  #shown: Shown | undefined
  #chosen = 0
  /** The command that waits for its confirmation. */
  #asked: OperatorCommand | undefined
  #question: string | undefined
  /** The strategy that is explained in place of the pictures, until the next key. */
  #explained: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(end: () => void) {
    this.#end = end
    const { stdout, stdin } = process
    this.#screen = new Screen(stdout, stdin.isTTY ? stdin : undefined, {
      key: (key) => this.#press(key),
      broken: end,
      resized: () => this.#draw(),
    })
  }

  /** Whether stdout is a terminal of this process that can be drawn on. */
  static fits(): boolean {
    return process.stdout.isTTY && process.env['TERM'] !== 'dumb' && isInForeground()
  }

  readonly take = (events: readonly BotEvent[], lines: readonly string[]): void => {
    const now = systemClock.monotonic()
    for (const [index, event] of events.entries()) {
      const { level } = vocabulary[event.type]
      if (this.#shownEvents.take(event, now) === undefined) continue
      this.#news.push({ level, line: lines[index] ?? '' })
    }
    this.#news.splice(0, this.#news.length - newsMax)
  }

  open(shown: Shown): void {
    this.#shown = shown
    this.#screen.open()
    this.#timer = setInterval(() => this.#draw(), everyMs).unref()
  }

  /** Whether the terminal still accepts output. */
  close(): Promise<boolean> {
    clearInterval(this.#timer)
    return this.#screen.close()
  }

  /** An error here is a bug of the view, and no reason to end the bot. */
  #draw(): void {
    if (!this.#shown || !this.#screen.isFree) return
    try {
      this.#screen.show(frame(this.#view(this.#shown), this.#screen.size))
    } catch (error) {
      this.#screen.show([[['red', `The bot continues, but the terminal view failed: ${String(error)}`]]])
    }
  }

  #view({ tables: look, link, why }: Shown): TerminalView {
    const tables = look()
    return {
      tables,
      time: timeOf(tables.bot['']?.at ?? 0).slice(0, 19),
      events: this.#news.map(({ level, line }) => newsOf({ ...JSON.parse(line), level, time: '' })),
      chosen: this.#nameIn(tables),
      link,
      keys: process.stdin.isTTY,
      question: this.#question,
      explained: this.#explained === undefined ? undefined : explainedBy(why, this.#explained),
    }
  }

  /** The view reads the keyboard, so Ctrl-C is a key like others, and Ctrl-Z does not suspend a bot with open orders. */
  #press(key: string): void {
    if (key === 'q' || key === '\u0003') this.#end()
    if (this.#explained !== undefined) this.#explained = undefined
    else if (this.#question !== undefined) this.#answer(key)
    else if (key === '\t' || key === '\u001b[C') this.#chosen += 1
    else if (key === '\u001b[Z' || key === '\u001b[D') this.#chosen -= 1
    else this.#ask(key)
    this.#draw()
  }

  #ask(key: string): void {
    const name = this.#shown && this.#nameIn(this.#shown.tables())
    if (key === 'w') this.#explained = name
    const asked = name === undefined ? undefined : commands[key]?.(name)
    if (asked === undefined) return
    this.#asked = asked.command
    this.#question = `${asked.question} y: yes, any other key: no`
  }

  #answer(key: string): void {
    const command = key === 'y' ? this.#asked : undefined
    const fault = command && this.#shown?.operate(command)
    this.#asked = undefined
    this.#question = fault === undefined ? undefined : `${printable(fault)}. Any key: continue`
  }

  #nameIn({ strategies }: Tables): string | undefined {
    const names = Object.keys(strategies)
    return names.at(this.#chosen % names.length)
  }
}

/** The lines of an explanation. An error in it must not end the bot. */
export function explainedBy(why: (strategy: string) => string, strategy: string): string[] {
  try {
    return stripVTControlCharacters(why(strategy)).split('\n')
  } catch (error) {
    return [
      `The explanation failed, and the bot continues: ${error instanceof Error ? error.message : String(error)}`,
    ]
  }
}

function newsOf(said: Said) {
  const { level, type } = said
  return { level, type, time: timeOf(Number(said['at'])).slice(11, 19), ...wordsOf(said) }
}

function timeOf(at: number): string {
  return new Date(at).toISOString().replace('T', ' ')
}
