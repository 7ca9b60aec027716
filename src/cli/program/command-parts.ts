import { Command, Option } from 'commander'

type Words = Parameters<Parameters<Command['action']>[0]>
type Work = (...words: Words) => number | Promise<number>
/** Makes an action: what `load` returns gets the same words, and returns the exit code. */
export type MakeAction = (load: (...words: Words) => Promise<Work>) => (...words: Words) => Promise<void>

/** Declared as a method, because method parameters are bivariant: a parser knows what it returned before. */
type Parser = { parse(word: string, before: unknown): unknown }['parse']
/** The text of the help; or this text, the function that reads the value, and the default; or a function that makes the flag. */
type FlagRow =
  | string
  | readonly [about: string, parse: Parser | undefined, usual?: unknown]
  | ((flag: string) => Option)

/** A command whose flags are rows of a table. */
export class TableCommand extends Command {
  override createCommand(name?: string): TableCommand {
    return new TableCommand(name)
  }

  flags(rows: Readonly<Record<string, FlagRow>>): this {
    for (const [flag, row] of Object.entries(rows)) {
      if (typeof row === 'function') this.addOption(row(flag))
      else if (typeof row === 'string') this.option(flag, row)
      else {
        const [about, parse, usual] = row
        const option = new Option(flag, about).default(usual)
        this.addOption(parse === undefined ? option : option.argParser(parse))
      }
    }
    return this
  }
}

/** The descriptions of commands by name, in the order of the help. A command loads its modules when it is chosen. */
export type CommandTable = Readonly<Record<string, (command: TableCommand, run: MakeAction) => TableCommand>>

/** A flag with one of these values. */
export function oneOf(about: string, values: readonly string[]): (flag: string) => Option {
  return (flag) => new Option(flag, about).choices(values)
}

/** The same with a default: the first value, if none is named. */
export function choice(about: string, values: readonly string[], usual = values[0]) {
  return (flag: string) => oneOf(about, values)(flag).default(usual)
}

/** The flag of the fill model; the default is `through`. */
export function fillModel(models: string[]) {
  const about =
    'Trades that fill an open order. through: beyond its price; touch: at its price; queue: at its price after other orders'
  return choice(about, models, 'through')
}

/** Collects the values of a repeatable flag. */
export function repeated(word: string, words: readonly string[] | undefined): string[] {
  return [...(words ?? []), word]
}

/** For short commands: compiling the schemas would take longer than it saves. */
export async function interpretSchemas(): Promise<void> {
  const { z } = await import('zod')
  z.config({ jitless: true })
}

export function interpreting(load: () => Promise<Work>): () => Promise<Work> {
  return async () => {
    await interpretSchemas()
    return load()
  }
}
