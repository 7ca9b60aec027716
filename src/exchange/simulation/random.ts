import { createHash } from 'node:crypto'

/**
 * Chance that can be stored and repeated: the four words of Chris Doty-Humphrey's sfc32. It counts in 32-bit
 * integers, which every machine does alike, and whoever knows what it gave cannot tell the seed.
 */
export type RandomState = Uint32Array

export function chanceOf(seed: string, about: string): RandomState {
  const bytes = createHash('sha256').update(`${about} ${seed}`).digest()
  return Uint32Array.from([0, 4, 8, 12], (offset) => bytes.readUInt32LE(offset))
}

/** The next 32 bits. */
function draw(words: RandomState): number {
  const a = words[0] ?? 0
  const b = words[1] ?? 0
  const c = words[2] ?? 0
  const d = words[3] ?? 0
  const drawn = (a + b + d) | 0
  words[0] = b ^ (b >>> 9)
  words[1] = c + (c << 3)
  words[2] = ((c << 21) | (c >>> 11)) + drawn
  words[3] = d + 1
  return drawn >>> 0
}

/** From 0 up to, not including, 1. */
export function unit(words: RandomState): number {
  return draw(words) / 0x1_0000_0000
}

/**
 * Around 0 with a deviation of 1 and never beyond 3.5: the sum of four uniform numbers. The bell itself needs
 * logarithms, whose last digits differ between machines.
 */
export function bell(words: RandomState): number {
  const one = draw(words)
  const two = draw(words)
  const sum = (one & 0xffff) + (one >>> 16) + (two & 0xffff) + (two >>> 16)
  return ((sum - 131_070) / 65_536) * 1.7320508
}
