/** At the end of a run: nothing, or cancel open entries, or close all positions, too. */
export const onExits = ['leave', 'cancel', 'flatten'] as const
export type OnExit = (typeof onExits)[number]
