import type { DriverParts, EngineStep } from '#src/runtime/loop/driver.ts'
import type { Registry } from './registry.ts'

type Journal<Taken extends EngineStep> = DriverParts<Taken>['journal']
type Engine<Taken extends EngineStep> = DriverParts<Taken>['engine']

/** The same engine, with a watch on each step. */
export function engineTimed<
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

/** The same journal, with a watch on what orders wait for. */
export function commitsTimed<Taken extends EngineStep>(
  inner: Journal<Taken>,
  registry: Registry,
): Journal<Taken> {
  return {
    append: (event, step) => inner.append(event, step),
    commit() {
      const began = performance.now()
      inner.commit()
      registry.observe('rungs_journal_commit_seconds', {}, (performance.now() - began) / 1000)
    },
    abandon: (error) => inner.abandon(error),
  }
}
