import type { ExitKind } from './exit-kind.ts'

/** The action of a rule: it closes the position, whatever exits the file of the ladder has. */
export const close: ExitKind = {
  text: 'close action',
  lasts: true,
  marks: () => ({ price: null }),
  isDue: ({ own }) => own.exits.close !== undefined,
  reason: ({ own }) => `the rule ${own.exits.close?.rule ?? ''} closes the position`,
}
