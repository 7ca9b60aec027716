import type { Switches } from './switches.ts'

export type Assumption = {
  /**
   * The paragraph of spec.md that is silent. What spec.md does not have at all is `beyond`, and a dot and the name
   * of the chapter if the choice belongs to one.
   */
  section: string
  silence: string
  choice: string
  switch?: keyof Switches
}
