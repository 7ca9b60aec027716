import { styleText } from 'node:util'
import { goalsOf } from '#src/strategy/file/rule-goals.ts'
import type { Explanation, RungExplanation } from '#src/engine/explain/explanation.ts'
import { exitsText } from '#src/engine/rules/halts.ts'
import type { State, StrategyState } from '#src/engine/state/state.ts'
import { explanationsNow } from '#src/engine/explain/explanations.ts'
import { noSuch } from '#src/cli/operate/status.ts'
import { exitRows } from '#src/cli/words/exit-text.ts'
import type { CompiledByName } from '#src/operate/dashboard/strategy-cache.ts'
import { statusOf, type BotStatus, type StrategyStatus } from '#src/operate/dashboard/status.ts'
import type { Dashboard } from '#src/operate/dashboard/dashboard.ts'
import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import type { History } from '#src/journal/port.ts'
import { withShortNumbers } from '#src/core/money/decimal.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { polledIn, type Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { closest } from '#src/core/yaml/suggestion.ts'
import type { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import { terminalWidth } from '#src/cli/words/printed.ts'
import { paragraphs, wrapped } from '#src/cli/words/text.ts'

type RungReason = { level: string; why: string; change: string | null }
/** Rungs of a ladder without an order, by the first reason; `last` is that of the last rung, if its numbers differ. */
type Obstacle = Omit<RungReason, 'level'> & { levels: string[]; last: RungReason | null }
type LadderFindings = StrategyStatus['ladders'][number] & {
  obstacles: Obstacle[]
  rules: Explanation['rules']
  /** The time of the reasons and of the values in the rules. */
  at: number | null
}
/** `staleAfterMs` is null where the file sets no limit. */
type FeedFindings = { name: string; ageMs: number | null; staleAfterMs: number | null; isKnown: boolean }
export type StrategyFindings = Pick<StrategyStatus, 'running' | 'halted' | 'exits' | 'pauses'> & {
  strategy: string
  /** Whether a process answered; else all of this comes from the journal. */
  process: boolean
  stopped: string | null
  /** Capabilities of the venue that are not known yet. */
  pending: string[]
  feeds: FeedFindings[]
  investing: StrategyState['investing']
  ladders: LadderFindings[]
}

/** STRATEGY or STRATEGY.LADDER; undefined if it is neither. */
export function scopeOf(what: string): { strategy: string; ladder: string | null } | undefined {
  const [strategy = '', ladder = null, ...more] = what.split('.')
  return strategy === '' || ladder === '' || more.length > 0 ? undefined : { strategy, ladder }
}

/** Why a strategy, or one of its ladders, places nothing: its state, then the reasons of each rung. */
export function findingsOf(
  scope: { strategy: string; ladder: string | null },
  {
    status,
    known,
    state,
    history,
  }: { status: BotStatus; known: CompiledByName; state: State; history: History },
): StrategyFindings {
  const { strategy, ladder } = scope
  const found = status.strategies.find(({ name }) => name === strategy)
  if (found === undefined) throw unknownStrategy(strategy, status)
  const ladders = found.ladders.filter(({ name }) => ladder === null || name === ladder)
  if (ladders.length === 0 && ladder !== null) throw noSuch(`ladder in ${strategy}`, ladder, found.ladders)
  const [compiled, own] = [known.get(strategy), state.strategies[strategy]]
  const file = compiled?.strategy
  const now = compiled && own ? explanationsNow(state, compiled, own) : []
  return {
    strategy,
    process: status.process !== null,
    running: found.running,
    stopped: status.stopped,
    halted: found.halted,
    exits: found.halted === null ? status.exits : found.exits,
    pauses: found.pauses,
    pending: status.pending,
    feeds: found.feeds.map(({ name, ageMs }) => {
      const staleAfterMs = (file?.feeds[name] ?? (file && polledIn(file)[name]))?.stale_after ?? null
      const isKnown = ageMs !== null && (staleAfterMs === null || ageMs <= staleAfterMs)
      return { name, ageMs, staleAfterMs, isKnown }
    }),
    investing: state.strategies[strategy]?.investing ?? null,
    ladders: ladders.map((each) => {
      const others = file ? rulesOfOthers(file, each.name) : new Set<string>()
      const decision = now.find((one) => one.ladder === each.name)
      // A text that is invalid now has only its last decision.
      return ladderFindings(each, decision ?? history.decided(strategy, each.name)?.decision, others)
    }),
  }
}

/** The findings of a running bot, for its terminal. */
export function textWhy(strategy: string, dashboard: Dashboard, stateDir: string): string {
  using history = new SqliteHistory(stateDir)
  const { state } = dashboard
  const known = dashboard.known()
  const status = statusOf(state, known, dashboard.process())
  const found = findingsOf({ strategy, ladder: null }, { status, known, state, history })
  return findingsText(found, terminalWidth())
}

/** The name may be that of a ladder, without its strategy. */
function unknownStrategy(asked: string, { strategies }: BotStatus): BotError {
  const names = strategies.map(({ name }) => name)
  const ladders = strategies.flatMap((each) => each.ladders.map(({ name }) => name))
  const isNear = !ladders.includes(asked) && closest(asked, names) !== undefined
  const ladder = isNear ? undefined : closest(asked, ladders)
  const owner = strategies.find((each) => each.ladders.some(({ name }) => name === ladder))
  if (owner === undefined) return noSuch('strategy', asked, strategies)
  return usage(
    `there is no strategy "${printable(asked.slice(0, 60))}", did you mean the ladder "${ladder}"?`,
    `Write the ladder behind its strategy: rungs why ${owner.name}.${ladder}`,
  )
}

function ladderFindings(
  ladder: StrategyStatus['ladders'][number],
  decision: Explanation | undefined,
  others: ReadonlySet<string>,
): LadderFindings {
  // For a ladder without rungs, the decision has those that it would have.
  const rungs = ladder.rungs > 0 ? ladder.rungs : (decision?.rungs.length ?? 0)
  const rules = decision?.rules.filter(({ id }) => !others.has(id)) ?? []
  return { ...ladder, rungs, obstacles: obstaclesOf(decision), rules, at: decision?.at ?? null }
}

/** The ids of the rules that neither act on the ladder nor stop the entries of the strategy. */
function rulesOfOthers({ rules, ladder: ladders }: Strategy, ladder: string): Set<string> {
  const others = rules.filter(({ do: actions }) =>
    actions.every(
      (action) =>
        action.halt === undefined &&
        action.pause_entries === undefined &&
        goalsOf(action, ladders).every((goal) => goal.ladder !== ladder),
    ),
  )
  return new Set(others.map(({ id }) => id))
}

function obstaclesOf(decision: Explanation | undefined): Obstacle[] {
  // An open order can be another one than its rung wants now.
  const waiting = (decision?.rungs ?? []).filter(
    ({ state, why }) => (state !== 'resting' && state !== 'sent') || why !== null,
  )
  // Numbers differ from rung to rung.
  const groups = Map.groupBy(waiting, ({ why }) => (why ?? '').replaceAll(/\d+(?:\.\d+)?/g, '#'))
  return [...groups.values()].map((rungs) => {
    const levels = rungs.map(({ level }) => level)
    const [first, last] = [reasonOf(rungs[0]), reasonOf(rungs.at(-1))]
    const isSame = first.why === last.why && first.change === last.change
    return { levels, why: first.why, change: first.change, last: isSame ? null : last }
  })
}

function reasonOf(rung: RungExplanation | undefined): RungReason {
  const why = rung?.why ?? (rung?.state === 'filled' ? 'it has filled' : 'unknown reason')
  return { level: rung?.level ?? '', why, change: rung?.change ?? null }
}

/** `width`: of a line, where a longer text continues on the next one. */
export function findingsText(found: StrategyFindings, width: number): string {
  const { strategy, ladders } = found
  return [
    styleText('bold', strategy),
    ...stateLines(found, width),
    ...ladders.flatMap((each) => ladderLines(each, width)),
  ].join('\n')
}

function stateLines(found: StrategyFindings, width: number): string[] {
  const { running, stopped, halted, exits, pauses, pending, feeds, investing, strategy } = found
  const paused = Object.entries(pauses)
  const rows = [
    ...(found.process
      ? []
      : ['no bot runs in this folder: this is the state in the journal. fix: rungs run']),
    ...(running ? [] : ['not running: no bot runs it, or its file is invalid']),
    ...(stopped === null
      ? []
      : [`all strategies are stopped: ${stopped}. ${exitsText(exits)}. fix: rungs resume`]),
    ...(halted === null ? [] : [`halted: ${halted}. ${exitsText(exits)}. fix: rungs resume ${strategy}`]),
    ...paused.map(([by, why]) => `paused by ${by}: ${why}. Exits work.`),
    ...(pending.length === 0
      ? []
      : [`the venue has not reported whether it supports: ${pending.join(', ')}`]),
    ...feeds.filter(({ isKnown }) => !isKnown).map(feedText),
    ...(investing === null
      ? []
      : [
          `an investment of ${investing.money} ${investing.ticker} waits for ` +
            (investing.isDoubtful
              ? `its outcome, which is unknown. fix: rungs resolve ${investing.id} live|dead --reason TEXT`
              : 'the answer of the venue'),
        ]),
  ]
  if (rows.length === 0) return ['  state: running, no halt, no pause, all feeds known']
  return rows.flatMap((row) => wrapped(printable(row), '  ', width))
}

function feedText({ name, ageMs, staleAfterMs }: FeedFindings): string {
  if (ageMs === null) return `feed ${name} is unknown: nothing was received yet`
  return `feed ${name} is unknown: ${secondsText(ageMs)} old, stale after ${secondsText(staleAfterMs ?? 0)}`
}

function ladderLines(ladder: LadderFindings, width: number): string[] {
  const { name, goal, resting, rungs, missing, obstacles, rules, at } = ladder
  const held = goal === 'ensure' ? [] : rules.filter(({ truth }) => truth !== 'true')
  return [
    '',
    styleText('bold', `${name}: goal ${goal}, ${resting} of ${rungs} rungs resting`),
    ...(missing === null ? [] : wrapped(`no rungs: ${printable(missing)}`, '  ', width)),
    ...(obstacles.length === 0 && missing === null ? ['  no rung waits'] : []),
    ...obstacles.flatMap((each) => obstacleLines(each, width)),
    ...paragraphs(exitRows(ladder), width),
    ...(held.length === 0 || at === null ? [] : [`  rules at ${new Date(at).toISOString()}:`]),
    ...held.flatMap((each) => ruleLines(each, width)),
  ]
}

/** If the texts differ from rung to rung, those of the first and of the last rung are shown. */
function obstacleLines({ levels, why, change, last }: Obstacle, width: number): string[] {
  const [all, first = ''] = [levels.join(' '), levels[0]]
  if (last === null) return reasonLines({ level: all, why, change }, '  ', width)
  const ends = [{ level: first, why, change }, last]
  return [...wrapped(`${all}:`, '  ', width), ...ends.flatMap((end) => reasonLines(end, '    ', width))]
}

function reasonLines({ level, why, change }: RungReason, indent: string, width: number): string[] {
  return [
    ...wrapped(`${level}: ${readable(why)}`, indent, width),
    ...(change === null ? [] : wrapped(`next: ${readable(change)}`, `${indent}  `, width)),
  ]
}

function readable(text: string): string {
  return printable(withShortNumbers(text))
}

function ruleLines({ id, truth, leaves }: LadderFindings['rules'][number], width: number): string[] {
  const rows = leaves.map(({ text, value }) => [`    ${printable(text)}`, printable(withShortNumbers(value))])
  return [`  rule ${id} is ${truth}`, ...paragraphs(rows, width)]
}

function secondsText(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}
