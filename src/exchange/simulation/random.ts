import { createHash } from 'node:crypto'

/**
 * Random numbers whose state can be stored: the four words of Chris Doty-Humphrey's sfc32. It uses 32-bit integers,
 * which every machine computes alike, and its output does not reveal the seed.
 */
export type RandomState = Uint32Array

export function chanceOf(seed: string, about: string): RandomState {
  const bytes = createHash('sha256').update(`${about} ${seed}`).digest()
  return Uint32Array.from([0, 4, 8, 12], (offset) => bytes.readUInt32LE(offset))
}

/** The next 32 random bits. */
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

/** Uniform in [0, 1). */
export function uniform(words: RandomState): number {
  return draw(words) / 0x1_0000_0000
}

/**
 * Approximately normal with mean 0 and deviation 1, never beyond 3.5: the sum of four uniform numbers. A true normal
 * distribution needs logarithms, whose last digits differ between machines.
 */
export function normal(words: RandomState): number {
  const one = draw(words)
  const two = draw(words)
  const sum = (one & 0xffff) + (one >>> 16) + (two & 0xffff) + (two >>> 16)
  return ((sum - 131_070) / 65_536) * 1.7320508
}
