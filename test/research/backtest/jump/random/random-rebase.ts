import type { Chance } from '#test/fuzz/chance.ts'

/** By the number of levels, so that no strategy of an earlier seed has other random numbers. */
const lives = ['', ', min_life: 4s', ', min_life: 25s', ', min_life: 2m']

/** When a ladder with this anchor is recomputed; empty for the default. */
export function randomRebase(
  { oneOf }: Chance,
  { anchor, levels, hasLives }: { anchor: string; levels: number; hasLives: boolean },
): string {
  const life = hasLives ? (lives[levels % lives.length] ?? '') : ''
  return oneOf([
    '',
    '',
    'on_flat',
    ...(anchor.includes(' at ')
      ? []
      : [`{ drift: ${oneOf(['1 step', '0.05%', '0.2%'])}, min_gap: ${oneOf(['3s', '20s', '90s'])}${life} }`]),
  ])
}
