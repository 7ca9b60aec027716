import { averageText, Decimal, moneyText } from '#src/core/money/decimal.ts'
import { operatorCommandFault, type OperatorCommand } from '#src/operate/dashboard/operator-commands.ts'
import type { BotStatus, StrategyStatus } from '#src/operate/dashboard/status.ts'
import type { State } from '#src/engine/state/state.ts'

/** The users that may send commands, and the only chat in which they may. */
export type TelegramOperators = { chat: string; users: readonly string[] }

/** `date`: when the service received the message, Unix seconds. */
export type TelegramMessage = { chat: string; user: string; text: string; date: number }

/** What the bot knows when it reads a message. */
export type CommandContext = { status: BotStatus; state: State }

export type TelegramAnswer = { text: string; command?: OperatorCommand }

/** By the clock of the service: messages of others cannot delay it. */
const confirmSeconds = 60
const lettersMax = 200
/** The longest message that the service takes has 4096 letters. */
const answerLettersMax = 4000

/** With a slash: in a group, Telegram gives a bot no other messages. */
const help = [
  '/status: strategies, orders, limits that stop them',
  '/positions: open positions',
  '/profit: result of each strategy',
  '/pause [STRATEGY]: no new entries; open entries stay',
  '/stop [STRATEGY]: no new entries; cancel open entries',
  '/flatten [STRATEGY]: cancel orders and close positions at the market',
  'pause, stop and flatten ask for a confirmation. To end a stop or a halt, run rungs resume on the machine of the bot.',
].join('\n')

const reads: Readonly<Record<string, (status: BotStatus) => string>> = {
  help: () => help,
  start: () => help,
  status: statusText,
  positions: positionsText,
  profit: profitText,
  resume: () => 'A stop or a halt is ended on the machine of the bot: rungs resume',
}

const acts: Readonly<
  Record<string, (strategy: string | null, reason: string) => { about: string; command: OperatorCommand }>
> = {
  pause: (strategy, reason) => ({
    about: `Pause ${strategy ?? 'all strategies'}: no new entries. Open entries stay, and exits keep working.`,
    command: { kind: 'operator', act: 'pause', strategy, reason },
  }),
  stop: (strategy, reason) => ({
    about: `Stop ${strategy ?? 'all strategies'}: no new entries, and cancel open entries. Exits keep working.`,
    command: { kind: 'operator', act: 'halt', strategy, reason },
  }),
  flatten: (strategy, reason) => ({
    about: `Flatten ${strategy ?? 'all strategies'}: cancel the orders and close the positions at the market.`,
    command: { kind: 'operator', act: 'halt', strategy, reason, flatten: true },
  }),
}

/** Answers messages of operators. A command that acts is executed only after its author has confirmed it. */
export class TelegramCommands {
  readonly #operators: TelegramOperators
  readonly #code: () => string
  /** The name of the machine: an operator may have several bots. */
  readonly #host: string
  /** The command that waits for its confirmation, and the last one that was confirmed. */
  #asked: Asked | undefined
  #done: string | undefined

  /** `code` returns a new confirmation code. */
  constructor(operators: TelegramOperators, code: () => string, host: string) {
    this.#operators = operators
    this.#code = code
    this.#host = host
  }

  /** Undefined for a message that gets no answer: it is from another chat or from another user. */
  answer({ chat, user, text, date }: TelegramMessage, view: CommandContext): TelegramAnswer | undefined {
    const { chat: own, users } = this.#operators
    if (chat !== own || !users.includes(user)) return undefined
    // In a group, a command can name the bot: /status@my_bot.
    const words = text.slice(0, lettersMax).trim().replace(/^\//, '').split(/\s+/)
    const [verb = '', name = null, ...rest] = words
    const word = (verb.split('@')[0] ?? '').toLowerCase()
    const asked = this.#asked
    if (word === 'yes' || Object.hasOwn(acts, word)) this.#asked = undefined
    if (word === 'yes') return this.#confirmed(asked, `${user} ${name}`, date, view)
    const read = Object.hasOwn(reads, word) ? reads[word] : undefined
    if (read !== undefined) return { text: shortened(read(view.status)) }
    const act = Object.hasOwn(acts, word) ? acts[word] : undefined
    if (act === undefined || rest.length > 0) return { text: `There is no such command.\n${help}` }
    const { about, command } = act(name, `by Telegram user ${user}`)
    const fault = operatorCommandFault(view.state, command)
    if (fault !== undefined) return { text: `Nothing was done: ${fault}` }
    const code = this.#code()
    this.#asked = { by: `${user} ${code}`, until: date + confirmSeconds, command }
    return { text: `${this.#host}: ${about}\nTo confirm, send within ${confirmSeconds} s: /yes ${code}` }
  }

  /** `by`: the user and the code. */
  #confirmed(asked: Asked | undefined, by: string, date: number, { state }: CommandContext): TelegramAnswer {
    // The answer to the first confirmation may have been lost.
    if (by === this.#done)
      return { text: 'This command was executed before. To see its effect, send: /status' }
    if (asked?.by !== by)
      return { text: 'Nothing was done: this confirms no command. Send the command again.' }
    if (date > asked.until) return { text: 'Nothing was done: the confirmation came too late.' }
    const fault = operatorCommandFault(state, asked.command)
    if (fault !== undefined) return { text: `Nothing was done: ${fault}` }
    this.#done = by
    return { text: 'The command is executed. To see its effect, send: /status', command: asked.command }
  }
}

type Asked = { by: string; until: number; command: OperatorCommand }

function shortened(text: string): string {
  if (text.length <= answerLettersMax) return text
  const shown = text.slice(0, answerLettersMax).split('\n').slice(0, -1)
  return [...shown, `and ${text.split('\n').length - shown.length} more lines: run rungs status`].join('\n')
}

function statusText({ stopped, drift, equity, process, strategies }: BotStatus): string {
  const lost = process?.lost ?? null
  return [
    ...(lost === null ? [] : [`The venue does not answer: ${lost.reason}`]),
    ...(stopped === null ? [] : [`All strategies are stopped: ${stopped}`]),
    ...(drift === null ? [] : [`Bot and venue disagree: ${drift}`]),
    `equity ${equity === null ? 'unknown' : moneyText(equity)}`,
    ...strategies.filter(({ running }) => running).map(strategyText),
  ].join('\n')
}

function strategyText({
  name,
  halted,
  flattening,
  pauses,
  result,
  drawdown,
  orders,
}: StrategyStatus): string {
  const reasons = Object.values(pauses)
  return [
    `${name}: result ${moneyText(result)}, drawdown ${moneyText(drawdown)}, ${orders.resting} open orders`,
    ...(orders.doubtful.length === 0 ? [] : [`${orders.doubtful.length} with unknown outcome`]),
    ...(halted === null ? [] : [`halted: ${halted}`]),
    ...(flattening === null ? [] : [flattening === 'done' ? 'flat' : 'closing its positions']),
    ...(reasons.length === 0 ? [] : [`paused: ${reasons.join('; ')}`]),
  ].join(', ')
}

function positionsText({ strategies }: BotStatus): string {
  const lines = strategies.flatMap(({ name, holdings }) =>
    holdings
      .filter(({ position }) => position !== '0')
      .map(({ symbol, position, entry }) => {
        const from = entry === null ? '' : ` from ${averageText(entry)}`
        return `${name}: ${symbol} ${position}${from}`
      }),
  )
  return lines.length === 0 ? 'No open positions.' : lines.join('\n')
}

function profitText({ strategies }: BotStatus): string {
  const total = strategies.reduce((sum, { result }) => sum.plus(result), new Decimal(0))
  const lines = strategies.map(
    ({ name, result, gridProfit, floating, fees }) =>
      `${name}: result ${moneyText(result)}, grid profit ${moneyText(gridProfit)}, ` +
      `floating ${moneyText(floating)}, fees ${moneyText(fees)}`,
  )
  return [`all: ${moneyText(total)}`, ...lines].join('\n')
}
