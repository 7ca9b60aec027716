import type { Assumption } from './assumption.ts'

/** What was chosen about an account, its money and its settings, beyond spec.md. */
export const accountAssumptions = {
  integersAsText: {
    section: 'beyond',
    silence: 'whether an integer may be sent as text',
    choice:
      'In profile full an integer may come as its plain decimal text, everywhere: clients of the family mix the two. ' +
      'Profile spec takes JSON integers only. Booleans and amounts have one form in both.',
  },
} as const satisfies Record<string, Assumption>
