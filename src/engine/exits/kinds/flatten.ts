import type { ExitKind } from './exit-kind.ts'

/** A halt with `then: flatten` closes all positions of its strategy, whatever the files of its ladders say. */
export const flatten: ExitKind = {
  text: 'flattening',
  lasts: true,
  marks: () => ({ price: null }),
  isDue: ({ state, scene }) => state.strategies[scene.name]?.flatten !== undefined,
  reason: ({ state, scene }) => {
    const { reason } = state.strategies[scene.name]?.flatten ?? {}
    return `the whole position of the strategy is closed: ${reason ?? 'the halt requires it'}`
  },
}
