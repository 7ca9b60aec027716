import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import type { RunningBot } from '#src/runtime/loop/bot.ts'
import type { Connectivity } from '#src/runtime/account/connectivity.ts'
import { lowerJitThreshold } from '#src/runtime/loop/jit-threshold.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import { isLoopback } from '#src/core/network/loopback.ts'
import { hiddenSockets } from '#src/venues/whitebit/client/streams/socket.ts'
import { openDashboard, type OpenDashboard } from '#src/operate/dashboard/http/open-dashboard.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { errorEvent } from '#src/operate/logs/log-errors.ts'
import { timedEngine } from '#src/operate/metrics/timers.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { busyFolder } from '#src/cli/files/busy-folder.ts'
import { Shutdown } from './shutdown.ts'
import { packageVersion } from '#src/cli/program/package-version.ts'
import { exitSummaryText, neverStartedText } from './exit-summary.ts'
import { RunTerminal } from './run-terminal.ts'
import { operatorCommandFault, type OperatorCommand } from '#src/operate/dashboard/operator-commands.ts'
import { unread } from '#src/cli/program/error-text.ts'
import { leverageWanted } from '#src/runtime/compose/account-leverage.ts'
import { textWhy } from '#src/cli/why/why-strategy.ts'
import { cleanUpOnExit, onExitText, wantedOnExit } from './on-exit.ts'
import { followSignals, openSignals, type SignalSources } from './run-signals.ts'
import { watchFiles } from './watch-files.ts'
import { RunAlerts } from './run-alerts.ts'
import { RunMetrics } from './run-metrics.ts'
import { pricesFaults, pricesFor } from '#src/cli/files/price-files.ts'
import { makeStateFolder, stateFolder } from '#src/cli/files/state-folder.ts'
import {
  namesOf,
  readStrategies,
  refuseTwins,
  type StrategyFile,
} from '#src/runtime/compose/strategy-files.ts'
import { agreement } from './run-tally.ts'
import { printFaulty } from '#src/cli/words/problems-text.ts'
import { whitebitVenue } from '#src/venues/whitebit/adapter/whitebit-venue.ts'
import { startTrading, Unfit, type TradingRuntime } from '#src/runtime/compose/trading.ts'
import { clientOf, hiding } from '#src/cli/files/venue-access.ts'
import { openRunParts, type RunFlags, type Watchers } from './run-parts.ts'
import { serveFleet } from './fleet-service.ts'

/** Runs strategies until a signal, the end of `--for` or an error ends them. Alerts about the end are sent last. */
export async function runBot(paths: readonly string[], flags: RunFlags): Promise<number> {
  const metrics = new RunMetrics()
  const alerts = flags.alerts === undefined ? undefined : new RunAlerts(flags.alerts, metrics.registry)
  try {
    const code = await trade(paths, flags, { metrics, alerts })
    await alerts?.ended(code)
    return code
  } catch (cause) {
    const isBusy = cause instanceof BotError && cause.code === 'DATA_BUSY'
    const error = isBusy ? busyFolder(stateFolder(flags.stateDir), cause) : cause
    await alerts?.failed(error)
    throw error
  }
}

/** A run, and what it knows of its bot so far. */
type Run = {
  files: readonly StrategyFile[]
  flags: RunFlags
  watchers: Watchers
  stateDir: string
  ending: Shutdown
  terminal: RunTerminal
  signals: SignalSources
  parts: Awaited<ReturnType<typeof openRunParts>>
  trading: TradingRuntime | undefined
  bot: Pick<RunningBot, 'state' | 'waiting' | 'operate' | 'signal' | 'reload'> | undefined
  lost: Connectivity['lost']
}

/** All opened parts are closed in reverse order, however the run ends. */
async function trade(paths: readonly string[], flags: RunFlags, watchers: Watchers): Promise<number> {
  const ending = new Shutdown()
  const exitCode = endWhenUnread(ending)
  // First the errors that need no venue.
  const { files, faulty } = readStrategies(paths, () => [])
  if (faulty.length > 0) return printFaulty(faulty)
  refuseTwins(files)
  leverageWanted(files)
  const stateDir = stateFolder(flags.stateDir)
  makeStateFolder(stateDir)
  await using closing = new AsyncDisposableStack()
  // Earlier, V8 would also compile code that only a start runs; a run of some seconds would take a quarter more CPU time.
  closing.use(setTimeout(lowerJitThreshold, 60_000).unref())
  const terminal = new RunTerminal(flags.json === true, () => ending.end())
  closing.defer(() => terminal.printLastText())
  terminal.greet(files.length)
  const { view, manner } = terminal
  const signals = openSignals(flags.signals, closing)
  const about = { stateDir, watchers, signals, view, manner, ending, closing }
  const opening = openRunParts(files, flags, about)
  const parts = await opening.catch((error: unknown) => {
    if (error !== ending.signal.reason) throw error
    return undefined
  })
  if (parts === undefined) {
    ending.rethrow()
    terminal.atTheEnd('Stopped: another process trades for the account, and this one has sent nothing.\n')
    return exitCode()
  }
  const run: Run = {
    files,
    flags,
    watchers,
    stateDir,
    ending,
    terminal,
    signals,
    parts,
    trading: undefined,
    bot: undefined,
    lost: null,
  }
  // Before the bot sends an order: a port that cannot be opened ends the start.
  const opened = await dashboardOf(run)
  closing.defer(() => opened.close())
  parts.output.listen((events, lines) => opened.dashboard.take(events, lines))
  terminal.open({
    tables: () => opened.dashboard.tables(),
    link: opened.link,
    operate: (command) => operate(run, command),
    why: (strategy) => textWhy(strategy, opened.dashboard, stateDir),
  })
  closing.defer(() => terminal.closeView())
  let isLeft = false
  try {
    const trading = await startedTrading(run)
    isLeft = await runUntilEnd(run, trading, opened)
  } catch (error) {
    await terminal.closeView()
    if (error instanceof Unfit) return printFaulty(error.faulty)
    if (run.trading !== undefined || !parts.cut.signal.aborted) throw error
    parts.output.summary(parts.journal.machine.state, { tookMs: 0, reason: 'stopped before start' })
    terminal.atTheEnd(neverStartedText(parts.venue.url, { stateDir, venueFile: flags.venue }))
  }
  ending.rethrow()
  return isLeft ? exitCodes.findings : exitCode()
}

function dashboardOf(run: Run): Promise<OpenDashboard> {
  const { flags, stateDir, parts } = run
  const { metrics, alerts } = run.watchers
  const { files, venue, speed, output, journal, client } = parts
  const { machine } = journal
  return openDashboard({
    stateDir,
    history: () => new SqliteHistory(stateDir),
    port: flags.port,
    names: namesOf(files),
    state: machine.state,
    bot: () => run.bot,
    say: (event) => output.take([{ ...event, at: machine.state.at }]),
    signalToken: run.signals.token,
    clock: systemClock,
    contact: () => run.trading?.contact() ?? { readAt: null, lost: run.lost },
    report: () => run.trading?.report(),
    lanes: () => client.lanes(),
    publicClient: (signal) => clientOf(venue, { signal, keepRates: speed === 1, random: Math.random }),
    onBroken: (error) => output.take([errorEvent(error, machine.state.at)]),
    metrics: (dashboard) => metrics.page(dashboard, alerts?.samples() ?? []),
    about: {
      version: packageVersion,
      venueUrl: venue.url,
      real: !isLoopback(venue.url),
      files: new Map(files.map(({ path, read }) => [read.strategy.name, path])),
    },
  })
}

async function startedTrading(run: Run): Promise<TradingRuntime> {
  const { stateDir, ending, parts } = run
  const { metrics } = run.watchers
  const { files, venue, terms, output, journal, tag, recorded, client, cut } = parts
  const prices = (markets: readonly string[], now: () => number) => pricesFor(markets, venue, stateDir, now)
  const starting = startTrading(files, {
    venue: whitebitVenue({
      client,
      clock: recorded?.client.clock ?? systemClock,
      terms,
      openSocket: recorded?.openSocket ?? hiddenSockets(hiding(venue)),
      random: recorded?.client.random,
    }),
    clock: systemClock,
    tag,
    foundOrders: run.flags.foundOrders,
    setsLeverage: run.flags.yes === true || isLoopback(venue.url),
    journal: metrics.journalAround(recorded?.journalAround(journal) ?? journal),
    engineAround: (inner) => timedEngine(inner, metrics.registry),
    prices: recorded?.pricesFrom(prices) ?? prices,
    pricesFaults: (strategy) => pricesFaults(strategy, venue),
    onEvents: (events) => output.take(events),
    onBroken(error, at) {
      output.take([errorEvent(error, at)])
      ending.fail(error)
    },
    signal: cut.signal,
    onLost(value) {
      run.lost = value
    },
    ...recorded?.ground,
  })
  recorded?.begin()
  const endTheStart = async () => {
    await ending.requested
    if (run.trading !== undefined) return
    // The venue may never answer: the tape and the start end here. Closing the parts reports an error of the tape.
    recorded?.close().catch(() => {})
    cut.abort()
    await client.close()
  }
  void endTheStart()
  run.trading = await starting
  return run.trading
}

/** Returns whether something is left that `on_exit` wants closed. */
async function runUntilEnd(run: Run, trading: TradingRuntime, opened: OpenDashboard): Promise<boolean> {
  const { files, flags, stateDir, ending, terminal } = run
  const { secrets, output, journal, member, recorded, inFlight } = run.parts
  const bot = recorded?.botAround(trading.bot) ?? trading.bot
  run.bot = bot
  const watching = new AbortController()
  const log: LogEvent = (event) => output.take([{ ...event, at: journal.machine.state.at }])
  const watched = watchFiles({ files, check: trading.check, bot, say: log, signal: watching.signal })
  const following = { intake: opened.dashboard.signals, say: log, signal: watching.signal }
  const followed = followSignals(run.signals, following)
  for (const each of [watched, followed]) each.catch((error: unknown) => ending.fail(error))
  run.watchers.alerts?.watch(opened.dashboard, log, secrets)
  log({ type: 'dashboard-ready', url: opened.url })
  if (member) serveFleet(member, { trading, bot, output, dashboard: opened.dashboard })
  const beganAt = systemClock.monotonic()
  if (flags.for !== undefined) setTimeout(() => ending.end(), flags.for).unref()
  await ending.requested
  await run.watchers.alerts?.endCommands()
  await terminal.closeView()
  const left = await cleanUp(run, bot, log)
  if (terminal.isRead) process.stdout.write('Stopping: waiting for requests in flight.\n')
  watching.abort()
  const ended = await (recorded?.end(trading) ?? trading.end())
  await Promise.all([watched, followed])
  inFlight.over = ended.closed
  const tookMs = Math.round(systemClock.monotonic() - beganAt)
  const summary = output.summary(bot.state, { tookMs, ...agreement(bot.state, trading.contact()) })
  terminal.atTheEnd(
    exitSummaryText(summary, {
      stateDir,
      isNamed: flags.stateDir !== undefined,
      dashboard: opened.url,
      file: files[0]?.path ?? '',
      lastOrder: output.lastOrder,
      left,
    }),
  )
  return left.length > 0
}

/** Applies a command from the terminal; returns why it cannot apply. */
function operate({ bot, ending }: Run, command: OperatorCommand): string | undefined {
  if (bot === undefined) return 'the bot is still starting'
  const fault = operatorCommandFault(bot.state, command)
  if (fault === undefined)
    void Promise.resolve(bot.operate(command)).catch((error: unknown) => ending.fail(error))
  return fault
}

/** Does what `on_exit` wants. Returns what is left of it; after an internal error nothing is decided any more. */
async function cleanUp(
  { ending, flags, terminal }: Run,
  bot: Pick<RunningBot, 'state' | 'operate'>,
  log: LogEvent,
): Promise<string[]> {
  const wanted = wantedOnExit(bot.state, flags.onExit)
  if (wanted.size === 0 || ending.hasFailed) return []
  if (terminal.isRead) process.stdout.write(`Stopping: ${onExitText(wanted)}\n`)
  const left = await ending.withoutDeadline(cleanUpOnExit(bot, wanted))
  for (const message of left) log({ type: 'alert', message })
  return left
}

/** Ends the run like a signal when the reader of stdout has gone. Returns the exit code of the process. */
function endWhenUnread(ending: Shutdown): () => number {
  let code: number = exitCodes.ok
  process.stdout.removeAllListeners('error').once('error', (error: NodeJS.ErrnoException) => {
    process.stdout.on('error', () => {})
    code = unread(error)
    ending.end()
  })
  return () => code
}
