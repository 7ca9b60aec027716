import { Option, type Command } from 'commander'

type Words = Parameters<Parameters<Command['action']>[0]>
type Work = (...words: Words) => number | Promise<number>
/** Makes an action: what `load` returns gets the same words, and returns the exit code. */
export type MakeAction = (load: (...words: Words) => Promise<Work>) => (...words: Words) => Promise<void>

/** The descriptions of commands by name, in the order of the help. A command loads its modules when it is chosen. */
export type CommandTable = Readonly<Record<string, (command: Command, run: MakeAction) => Command>>

/** A flag with one of these values; the first is the default. */
export function choice(flags: string, about: string, values: string[], usual = values[0]): Option {
  return new Option(flags, about).choices(values).default(usual)
}

/** The flag of the fill model; the default is `through`. */
export function fillModel(models: string[]): Option {
  const about =
    'Trades that fill an open order. through: beyond its price; touch: at its price; queue: at its price after other orders'
  return choice('--fill <model>', about, models, 'through')
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
