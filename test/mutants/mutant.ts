/** A deliberate defect: one text of one source file, replaced by another. */
export type Mutant = {
  /** m01 to m37 are incidents of other trading bots, see docs/simulation.md; the others are our own. */
  id: string
  /** What the program then does. */
  does: string
  file: string
  /** Occurs in the file exactly once: a change of the source must carry the mutant along. */
  find: string
  replace: string
  /** The test files that must fail, or the simulation, or the simulation in which an operator closes all positions. */
  suite: 'simulate' | 'flatten' | readonly string[]
}
