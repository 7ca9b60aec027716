import type { ExitKind } from './exit-kind.ts'

/** The action of a rule: it closes the position, whatever exits the file of the ladder has. */
export const close: ExitKind = {
  text: 'close action',
  lasts: true,
  marks: () => ({ price: null }),
  isDue: ({ own }) => own.exits.close !== undefined && own.exits.close.share === undefined,
  reason: ({ own }) => {
    const { rule = '', share } = own.exits.close ?? {}
    return `the rule ${rule} closes ${share ? `${share.left} of ${share.of} of` : ''} the position`
  },
}
