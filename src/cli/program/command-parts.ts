import { Option } from 'commander'

/** Receives the exit code of a command. */
export type Exit = (code: number) => void

/** A flag with one of these values; the first is the default. */
export function choice(flags: string, about: string, values: string[], usual = values[0]): Option {
  return new Option(flags, about).choices(values).default(usual)
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
