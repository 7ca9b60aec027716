import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import { Alerts } from '#src/operate/alerts/alerts.ts'
import { loadAlerts, type AlertSettings } from '#src/operate/alerts/alert-settings.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import type { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { Dashboard } from '#src/operate/dashboard/dashboard.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import type { Sample } from '#src/operate/metrics/metric-families.ts'
import type { Registry } from '#src/operate/metrics/registry.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { statusOf } from '#src/operate/dashboard/status.ts'
import { TelegramCommands } from '#src/operate/alerts/telegram-commands.ts'
import { TelegramPoll } from '#src/operate/alerts/telegram-poll.ts'

const lookEveryMs = 5000

/** The alerts of a run, from before its start until after its end. */
export class RunAlerts {
  readonly settings: AlertSettings
  readonly #alerts: Alerts
  #say: LogEvent | undefined
  #looking: NodeJS.Timeout | undefined
  #telegram: TelegramPoll[] = []

  constructor(path: string, registry: Registry) {
    this.settings = loadAlerts(path)
    this.#alerts = new Alerts({
      settings: this.settings,
      clock: systemClock,
      random: Math.random,
      host: hostname(),
      count: (target, outcome) => registry.add('rungs_alerts_total', { target, outcome }),
      onLost: (target, lost) => {
        if (this.#say) this.#say({ type: 'alert-lost', target, ...lost })
        else process.stderr.write(`${lost.alerts} alerts to ${target} failed: ${lost.reason}\n`)
      },
    })
  }

  /** Receives all events. */
  readonly take: Alerts['take'] = (events, lines) => this.#alerts.take(events, lines)

  /** Watches the bot for conditions that are no events. */
  watch(
    dashboard: Pick<Dashboard, 'state' | 'known' | 'parts' | 'process'>,
    say: LogEvent,
    secrets: readonly Secret[],
  ): void {
    this.#say = say
    this.#alerts.startHeartbeat()
    const hidden = (text: string) => secrets.reduce((all, secret) => secret.hiddenIn(all), text)
    this.#telegram = this.settings.telegram.map((bot) => telegramPollOf(bot, { dashboard, say, hidden }))
    for (const poll of this.#telegram) poll.start()
    this.#looking = setInterval(() => {
      const { readAt, lost } = dashboard.parts.contact()
      // A venue's refusal may quote what was sent to it.
      const contact = { readAt, lost: lost && { ...lost, reason: hidden(lost.reason) } }
      try {
        this.#alerts.check({ state: dashboard.state, known: dashboard.known(), contact })
      } catch (error) {
        dashboard.parts.onBroken(error)
      }
    }, lookEveryMs)
  }

  /** From here on no command is executed: the run ends. */
  async endCommands(): Promise<void> {
    await Promise.all(this.#telegram.map((poll) => poll.end()))
  }

  samples(): Sample[] {
    return this.#alerts.waiting.map(({ target, count }) => ({
      name: 'rungs_alerts_waiting',
      labels: { target },
      value: count,
    }))
  }

  /** The log is closed by now. */
  async ended(code: number): Promise<void> {
    this.#alerts.report(code === exitCodes.ok ? 'process-ended' : 'process-failed', `exit code ${code}`)
    await this.#end()
  }

  async failed(error: unknown): Promise<void> {
    // Why the run ended, without errors of closing.
    if (error instanceof SuppressedError) return this.failed(error.suppressed)
    // Texts of others may contain secrets.
    const text =
      error instanceof BotError ? error.message : error instanceof Error ? error.name : 'unexpected error'
    this.#alerts.report('process-failed', text)
    await this.#end()
  }

  async #end(): Promise<void> {
    clearInterval(this.#looking)
    this.#say = undefined
    await this.endCommands()
    await this.#alerts.end()
  }
}

function telegramPollOf(
  { name, url, token, ...operators }: AlertSettings['telegram'][number],
  about: {
    dashboard: Pick<Dashboard, 'state' | 'known' | 'parts' | 'process'>
    say: LogEvent
    hidden: (text: string) => string
  },
): TelegramPoll {
  const { dashboard, say, hidden } = about
  const commands = new TelegramCommands(operators, () => String(randomInt(1000, 10_000)), hostname())
  return new TelegramPoll({
    url,
    token,
    clock: systemClock,
    answer: (message, view) => commands.answer(message, view),
    view: () => ({
      status: statusOf(dashboard.state, dashboard.known(), dashboard.process()),
      state: dashboard.state,
    }),
    async operate(command) {
      const bot = dashboard.parts.bot()
      if (bot === undefined) return 'the bot is still starting'
      await bot.operate(command)
      return undefined
    },
    onLost: (reason) =>
      say({ type: 'alert', message: `Telegram commands of ${name} do not work: ${reason}` }),
    onBroken: dashboard.parts.onBroken,
    hidden,
  })
}
