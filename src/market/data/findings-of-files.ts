import type { FileFindings } from './historical-market.ts'
import { addGap, emptySeen, placesKept } from './points.ts'

/** Findings with different texts; a year of files has no more. */
const notesKept = 20

/** The findings of the files of one market, one after the other. */
export class FindingsOfFiles {
  readonly #seen = emptySeen()
  /** The text of a note, with the first file that has it and the number of files. */
  readonly #notes = new Map<string, { path: string; files: number }>()
  #notesOmitted = 0

  /** A pause between two files. */
  gap(at: number, ms: number): void {
    addGap(this.#seen, at, ms)
  }

  add(own: FileFindings, path: string): void {
    const seen = this.#seen
    seen.rows += own.rows
    seen.points += own.points
    seen.endsAt = own.endsAt
    seen.low = Math.min(seen.low, own.low)
    seen.high = Math.max(seen.high, own.high)
    seen.gaps += own.gaps
    // A line number needs the name of its file.
    const places = own.gapPlaces.map(({ at, ms }) => ({ at, ms }))
    seen.gapPlaces = [...seen.gapPlaces, ...places].slice(0, placesKept)
    seen.duplicates += own.duplicates
    for (const note of own.notes) {
      const known = this.#notes.get(note)
      if (known) known.files += 1
      else if (this.#notes.size < notesKept) this.#notes.set(note, { path, files: 1 })
      else this.#notesOmitted += 1
    }
  }

  whole(): FileFindings {
    const notes = [...this.#notes].map(([note, { path, files }]) =>
      files === 1 ? `${path}: ${note}` : `${path} and ${files - 1} more: ${note}`,
    )
    if (this.#notesOmitted > 0) notes.push(`Notes about files that are not listed: ${this.#notesOmitted}.`)
    return { ...this.#seen, notes }
  }
}
