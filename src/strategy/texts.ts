import type { Condition } from './condition.ts'
import type { Price, Programs } from './programs.ts'

/** Every expression of a file as it stands there, for who asks what it reads. */
export function textsOf({ lets, ladders, conditions, amounts }: Programs): string[] {
  return [
    ...lets.map(({ program }) => program.text),
    ...[...ladders.values()].flatMap(({ anchor, unit, scale, exitAt }) =>
      [anchor, unit, scale, exitAt].flatMap(ofPrice),
    ),
    ...[...conditions.values()].flatMap(textsIn),
    ...[...amounts.values()].flatMap(ofPrice),
  ]
}

function ofPrice(price: Price | undefined): string[] {
  return price !== undefined && 'text' in price ? [price.text] : []
}

export function textsIn(condition: Condition): string[] {
  switch (condition.kind) {
    case 'is':
      return [condition.program.text]
    case 'all':
    case 'any':
      return condition.of.flatMap(textsIn)
    case 'not':
      return textsIn(condition.of)
    case 'crosses_above':
    case 'crosses_below':
      return condition.of.map(({ text }) => text)
    case 'rises':
    case 'falls':
      return [condition.of.text]
  }
}
