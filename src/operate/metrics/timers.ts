import type { DriverParts, EngineStep } from '#src/runtime/loop/driver.ts'
import type { JournalWriter } from '#src/journal/port.ts'
import type { Registry } from './registry.ts'

type Engine<Taken extends EngineStep> = DriverParts<Taken>['engine']

/** Measures each step of the engine. */
export function timedEngine<
  Taken extends EngineStep,
  Inner extends Engine<Taken> & { readonly state: unknown },
>(inner: Inner, registry: Registry) {
  return {
    get state(): Inner['state'] {
      return inner.state
    },
    step(event: Parameters<Inner['step']>[0]): Taken {
      const began = performance.now()
      const step = inner.step(event)
      registry.observe('rungs_step_seconds', { event: event.kind }, (performance.now() - began) / 1000)
      return step
    },
  }
}

/** Measures each commit of the journal, which orders wait for. */
export function timedJournal<Taken extends EngineStep>(
  inner: JournalWriter<Taken>,
  registry: Registry,
): JournalWriter<Taken> {
  return {
    append: (event, step) => inner.append(event, step),
    commit() {
      const began = performance.now()
      const observe = () =>
        registry.observe('rungs_journal_commit_seconds', {}, (performance.now() - began) / 1000)
      const committed = inner.commit()
      if (committed !== undefined) return committed.then(observe)
      return observe()
    },
    abandon: (error) => inner.abandon(error),
  }
}
