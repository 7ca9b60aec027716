import { events, writer } from './tape-fixture.ts'

/** Writes a tape like a bot until it is killed; continues after errors, and exits successfully. */
const [, , path = ''] = process.argv
const { tape, troubles } = writer(path)

function more(turns: number): void {
  for (const event of events) tape.write(event)
  process.stdout.write('.')
  if (troubles.length === 0) setImmediate(() => more(0))
  else if (turns < 10) setImmediate(() => more(turns + 1))
  else void end()
}

async function end(): Promise<void> {
  const refused = await tape.close(Date.now()).catch((error: unknown) => String(error))
  process.stdout.write(
    `\n${JSON.stringify([...troubles.map(({ code, seen }) => `${code} ${seen}`), refused])}\n`,
  )
}

more(0)
