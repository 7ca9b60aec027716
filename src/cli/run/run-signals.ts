import { systemClock } from '#src/core/time/clock.ts'
import { signalTokenFrom } from '#src/cli/files/signal-token.ts'
import { SignalFile } from '#src/operate/dashboard/signals/signal-file.ts'
import type { SignalIntake } from '#src/operate/dashboard/signals/signal-intake.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'

/** The sources of signals besides the operator: the token of `POST /signal`, and the file of `--signals`. */
export type SignalSources = { token: string | undefined; file: SignalFile | undefined; secrets: Secret[] }

const everyMs = 250

export function openSignals(path: string | undefined, closing: AsyncDisposableStack): SignalSources {
  const token = signalTokenFrom(process.env)
  return {
    token,
    secrets: token === undefined ? [] : [new Secret(token)],
    file: path === undefined ? undefined : closing.use(new SignalFile(path)),
  }
}

/** Sets the signals of the file until the run ends. */
export async function followSignals(
  { file }: SignalSources,
  about: { intake: SignalIntake; say: LogEvent; signal: AbortSignal },
): Promise<void> {
  const { intake, say, signal } = about
  if (file === undefined) return
  while (!signal.aborted) {
    await file.poll(intake, say)
    await systemClock.sleep(everyMs, signal).catch(() => {})
  }
}
