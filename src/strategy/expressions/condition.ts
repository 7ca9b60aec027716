import type { ASTNode } from '@marcbachmann/cel-js'
import { answer, type ExpressionResult, type Program } from './expression.ts'
import { neverTrue, partsOf } from '#src/strategy/check/never-true.ts'
import type { Context } from './compile-expression.ts'
import type { KeyPath } from '#src/strategy/file/strategy-fault.ts'

/** A compiled tree of expressions. */
export type Condition =
  | { kind: 'is'; program: Program }
  | { kind: 'all' | 'any'; of: Condition[] }
  | { kind: 'not'; of: Condition }
  | { kind: 'crosses_above' | 'crosses_below'; of: [Program, Program]; past: Past }
  | { kind: 'rises' | 'falls'; of: Program; past: Past }

/**
 * An earlier time: this many candles before now, of the shortest of these feeds. The others have their values of that
 * time.
 */
export type Past = { candles: number; feeds: readonly string[] }

/** The current values, and those of earlier times. */
export type Views = { now: Context; ago(past: Past): Context }

export type Truth = 'true' | 'false' | 'unknown'

/** Three-valued: one false part makes `all` false, one true part makes `any` true, even if other parts are unknown. */
export function truthOf(condition: Condition, views: Views): Truth {
  switch (condition.kind) {
    case 'is':
      return truth(answer(condition.program, views.now))
    case 'all':
      return either(condition.of, views, 'false', 'true')
    case 'any':
      return either(condition.of, views, 'true', 'false')
    case 'not':
      return opposite(truthOf(condition.of, views))
    case 'crosses_above':
    case 'crosses_below': {
      const now = order(answer(condition.of[0], views.now), answer(condition.of[1], views.now))
      const past = views.ago(condition.past)
      const before = order(answer(condition.of[0], past), answer(condition.of[1], past))
      if (now === undefined || before === undefined) return 'unknown'
      return truth({
        value: condition.kind === 'crosses_above' ? now > 0 && before <= 0 : now < 0 && before >= 0,
      })
    }
    case 'rises':
    case 'falls': {
      const change = order(answer(condition.of, views.now), answer(condition.of, views.ago(condition.past)))
      if (change === undefined) return 'unknown'
      return truth({ value: condition.kind === 'rises' ? change > 0 : change < 0 })
    }
  }
}

type Compile = (text: unknown, path: KeyPath, kind: 'double' | 'bool') => Program | undefined
/** The feeds read by expressions whose past is needed. */
type FeedsOf = (programs: readonly Program[], path: KeyPath) => readonly string[]

/** Builds the tree from the unvalidated content of a file; undefined if the content is not a condition. */
export function conditionOf(
  file: unknown,
  path: KeyPath,
  compile: Compile,
  feedsOf: FeedsOf,
): Condition | undefined {
  if (typeof file === 'string') {
    const program = compile(file, path, 'bool')
    return program && { kind: 'is', program }
  }
  if (typeof file !== 'object' || file === null) return undefined
  const [first] = Object.entries(file)
  if (first === undefined) return undefined
  const [kind, inner]: [string, unknown] = first
  const inside = [...path, kind]
  const programs = (Array.isArray(inner) ? inner : [inner]).map((text, index) => ({
    text,
    path: [...inside, index],
  }))
  switch (kind) {
    case 'all':
    case 'any': {
      const of = programs.map(({ text, path }) => conditionOf(text, path, compile, feedsOf))
      return { kind, of: of.filter((part) => part !== undefined) }
    }
    case 'not': {
      const of = conditionOf(inner, inside, compile, feedsOf)
      return of && { kind, of }
    }
    case 'crosses_above':
    case 'crosses_below': {
      // The schema refuses any other number.
      if (programs.length !== 2) return undefined
      const [one, other] = programs.map(({ text, path }) => compile(text, path, 'double'))
      if (!one || !other) return undefined
      return { kind, of: [one, other], past: { candles: 1, feeds: feedsOf([one, other], inside) } }
    }
    case 'rises':
    case 'falls': {
      const isLong = typeof inner === 'object' && inner !== null && 'of' in inner
      const of = isLong ? compile(inner.of, [...inside, 'of'], 'double') : compile(inner, inside, 'double')
      const candles = isLong && 'candles' in inner ? Number(inner.candles) : 1
      return of && { kind, of, past: { candles, feeds: feedsOf([of], inside) } }
    }
    default:
      return undefined
  }
}

/** The parts that are not made of other conditions. */
function leavesOf(condition: Condition): Exclude<Condition, { kind: 'all' | 'any' | 'not' }>[] {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.flatMap(leavesOf)
    case 'not':
      return leavesOf(condition.of)
    default:
      return [condition]
  }
}

/** All expressions of the condition. */
export function programsIn(condition: Condition): readonly Program[] {
  return leavesOf(condition).flatMap((leaf) => (leaf.kind === 'is' ? leaf.program : leaf.of))
}

/** The number of candles that the condition looks back. */
export function depthOf(condition: Condition): number {
  return Math.max(0, ...pastsIn(condition).map(({ candles }) => candles))
}

/** All earlier times that the condition reads. */
export function pastsIn(condition: Condition): readonly Past[] {
  return leavesOf(condition).flatMap((leaf) => (leaf.kind === 'is' ? [] : leaf.past))
}

function either(of: readonly Condition[], views: Views, decisive: Truth, otherwise: Truth): Truth {
  let result = otherwise
  for (const condition of of) {
    const found = truthOf(condition, views)
    if (found === decisive) return found
    if (found === 'unknown') result = found
  }
  return result
}

function opposite(truth: Truth): Truth {
  return truth === 'unknown' ? truth : truth === 'true' ? 'false' : 'true'
}

function truth(answer: ExpressionResult): Truth {
  if ('unknown' in answer) return 'unknown'
  return answer.value === true ? 'true' : 'false'
}

/** Positive if the first is larger. */
function order(one: ExpressionResult, other: ExpressionResult): number | undefined {
  if ('unknown' in one || 'unknown' in other) return undefined
  return Number(one.value) - Number(other.value)
}

/** The part that makes a condition always false, with its place in the file. An `any` needs only one possible part. */
export function impossiblePart(
  condition: Condition,
  path: readonly PropertyKey[],
): { path: readonly PropertyKey[]; start: number } | undefined {
  if (condition.kind === 'any') {
    const parts = condition.of.map((part, index) => impossiblePart(part, [...path, 'any', index]))
    return parts.every((part) => part !== undefined) ? parts[0] : undefined
  }
  const needed = neededBy(condition, path)
  const part = neverTrue(needed.map(({ ast }) => ast))
  const holder = needed.find(({ ast }) => part !== undefined && partsOf(ast).includes(part))
  return part && holder && { path: holder.path, start: part.start }
}

/** The expressions that must all be true, with their places. */
function neededBy(condition: Condition, path: readonly PropertyKey[]): Needed[] {
  if (condition.kind === 'is') return [{ ast: condition.program.ast, path }]
  if (condition.kind !== 'all') return []
  return condition.of.flatMap((part, index) => neededBy(part, [...path, 'all', index]))
}

type Needed = { ast: ASTNode; path: readonly PropertyKey[] }
