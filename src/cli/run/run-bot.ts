import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import type { RunningBot } from '#src/runtime/loop/bot.ts'
import type { Connectivity } from '#src/runtime/account/connectivity.ts'
import { optimizeSoon } from '#src/runtime/loop/v8-optimization.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import { isLoopback } from '#src/core/network/loopback.ts'
import { hiddenSockets } from '#src/venues/whitebit/client/streams/socket.ts'
import { openDashboard } from '#src/operate/dashboard/http/open-dashboard.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { troubleEvent } from '#src/operate/logs/log-errors.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { busyFolder } from '#src/cli/files/busy-folder.ts'
import { Shutdown } from './shutdown.ts'
import { packageVersion } from '#src/cli/program/package-version.ts'
import { exitSummaryText, neverStartedText } from './exit-summary.ts'
import { LiveView } from './live-view.ts'
import { unread } from '#src/cli/program/error-text.ts'
import { watchFiles } from './watch-files.ts'
import { RunAlerts } from './run-alerts.ts'
import { RunMetrics } from './run-metrics.ts'
import { pricesFaults, pricesFor } from '#src/cli/files/price-files.ts'
import { makeStateFolder, stateFolder } from '#src/cli/files/state-folder.ts'
import { namesOf, readStrategies, refuseTwins, type Faulty } from '#src/runtime/compose/strategy-files.ts'
import { agrees } from './run-tally.ts'
import { problemsText } from '#src/cli/words/problems-text.ts'
import { whitebitVenue } from '#src/venues/whitebit/adapter/whitebit-venue.ts'
import { startTrading, Unfit, type Ground, type Trading } from '#src/runtime/compose/trading.ts'
import { hiding, publicClientOf } from '#src/cli/files/venue-access.ts'
import { openRunParts, type RunFlags, type Watchers } from './run-parts.ts'

/** Runs strategies until it is told to end. Whoever is to hear of how that went is told when nothing else is left. */
export async function runBot(paths: readonly string[], flags: RunFlags): Promise<number> {
  // Before that it would compile what a start runs, and a run of some seconds takes a quarter more time of the processor.
  setTimeout(optimizeSoon, 60_000).unref()
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

/** Whatever is opened here is closed in turn, however it ends. */
async function trade(paths: readonly string[], flags: RunFlags, watchers: Watchers): Promise<number> {
  const { metrics, alerts } = watchers
  const ending = new Shutdown()
  const exitCode = endWhenUnread(ending)
  // Before anything starts: mistakes that no venue is needed to find.
  const { files, faulty } = readStrategies(paths, () => [])
  if (faulty.length > 0) return tellFaults(faulty)
  refuseTwins(files)
  const stateDir = stateFolder(flags.stateDir)
  makeStateFolder(stateDir)
  await using closing = new AsyncDisposableStack()
  const view = flags.json !== true && LiveView.fits() ? new LiveView(() => ending.end()) : undefined
  let goodbye = ''
  // When all else is put away: a terminal that takes nothing holds nothing up.
  closing.defer(() => void process.stdout.write(goodbye))
  if (view)
    process.stdout.write(
      `Rungs starts with ${files.length === 1 ? 'one strategy' : `${files.length} strategies`} …\n`,
    )
  const stage = await openRunParts(files, flags, { stateDir, watchers, view, ending, closing })
  const { venue, speed, terms, secrets, output, journal, recorded, client, cut, inFlight } = stage
  const { machine } = journal
  const { signal } = cut
  const prices: Ground['prices'] = (markets, now) => pricesFor(markets, venue, stateDir, now)
  let trading: Trading | undefined
  let lost: Connectivity['lost'] = null
  let bot: Pick<RunningBot, 'state' | 'waiting' | 'operate' | 'reload'> | undefined
  // Before anything is placed: what cannot be listened at is found out here.
  const opened = await openDashboard({
    stateDir,
    history: () => new SqliteHistory(stateDir),
    port: flags.port,
    names: namesOf(files),
    state: machine.state,
    bot: () => bot,
    clock: systemClock,
    contact: () => trading?.contact() ?? { readAt: null, lost },
    lanes: () => client.lanes(),
    publicClient: (signal) => publicClientOf(venue, speed, signal),
    onBroken: (error) => output.take([troubleEvent(error, machine.state.at)]),
    metrics: (desk) => metrics.page(desk, alerts?.samples() ?? []),
    about: {
      version: packageVersion,
      venueUrl: venue.url,
      real: !isLoopback(venue.url),
      files: new Map(files.map(({ path, read }) => [read.strategy.name, path])),
    },
  })
  closing.defer(() => opened.close())
  output.listen((events, lines) => opened.desk.take(events, lines))
  const isWatched = flags.json !== true && process.stdout.isTTY
  // Whoever has the link can stop the bot: it goes to a person, never into a file.
  if (view) view.open({ tables: () => opened.desk.tables(), link: opened.link })
  else if (isWatched) process.stdout.write(`Dashboard: ${opened.link}\n`)
  closing.defer(async () => void (await view?.close()))
  try {
    const runVenue = whitebitVenue({
      client,
      clock: recorded?.between.clock ?? systemClock,
      terms,
      openSocket: recorded?.openSocket ?? hiddenSockets(hiding(venue)),
      random: recorded?.between.random,
    })
    const starting = startTrading(files, {
      venue: runVenue,
      clock: systemClock,
      journal: metrics.journalAround(recorded?.journalAround(journal) ?? journal),
      engineAround: (inner) => metrics.engineAround(inner),
      prices: recorded?.pricesFrom(prices) ?? prices,
      pricesFaults: (strategy) => pricesFaults(strategy, venue),
      onEvents: (events) => output.take(events),
      onBroken(error, at) {
        output.take([troubleEvent(error, at)])
        ending.fail(error)
      },
      signal,
      onLost(value) {
        lost = value
      },
      ...recorded?.ground,
    })
    recorded?.begin()
    const whenTold = async () => {
      await ending.told
      if (trading !== undefined) return
      // A venue may be silent for as long as it likes: the tape ends here, and the start with it. What goes wrong with
      // the tape is heard where all is put away.
      recorded?.close().catch(() => {})
      cut.abort()
      await client.close()
    }
    void whenTold()
    trading = await starting
  } catch (error) {
    const isHeard = (await view?.close()) !== false
    if (error instanceof Unfit) return tellFaults(error.faulty)
    if (!signal.aborted) throw error
    const reason = 'stopped before start'
    output.summary(machine.state, { tookMs: 0, reason })
    if (isWatched && isHeard) goodbye = neverStartedText(venue.url, { stateDir, venueFile: flags.venue })
    ending.rethrow()
    return exitCode()
  }
  const { check } = trading
  bot = recorded?.handled(trading.bot) ?? trading.bot
  const watching = new AbortController()
  const say: LogEvent = (event) => output.take([{ ...event, at: machine.state.at }])
  const watched = watchFiles({ files, check, bot, say, signal: watching.signal })
  watched.catch((error: unknown) => ending.fail(error))
  alerts?.watch(opened.desk, say, secrets)
  say({ type: 'dashboard-ready', url: opened.url })
  const beganAt = systemClock.monotonic()
  if (flags.for !== undefined) setTimeout(() => ending.end(), flags.for).unref()
  await ending.told
  const isHeard = isWatched && (await view?.close()) !== false
  if (isHeard) process.stdout.write('Stopping: waiting for requests in flight.\n')
  watching.abort()
  const ended = await (recorded?.end(trading) ?? trading.end())
  await watched
  inFlight.over = ended.closed
  const tookMs = Math.round(systemClock.monotonic() - beganAt)
  const summary = output.summary(bot.state, { tookMs, ...standing(trading) })
  if (isHeard) {
    goodbye = exitSummaryText(summary, {
      stateDir,
      isNamed: flags.stateDir !== undefined,
      dashboard: opened.url,
      file: paths[0] ?? '',
      lastOrder: output.lastOrder,
    })
  }
  ending.rethrow()
  return exitCode()
}

/** Whoever reads our lines may go away: that ends a run like a signal. Gives the code that the process ends with. */
function endWhenUnread(ending: Shutdown): () => number {
  let code: number = exitCodes.ok
  process.stdout.removeAllListeners('error').once('error', (error: NodeJS.ErrnoException) => {
    process.stdout.on('error', () => {})
    code = unread(error)
    ending.end()
  })
  return () => code
}

/** Whether what we know is what the venue says, and how old what it has said is. */
function standing(trading: Trading): { agrees: boolean; readAgeMs: number } {
  const { state } = trading.bot
  const { readAt, lost } = trading.contact()
  // A reading that began after the last thing that happened is of no age.
  const isRead = readAt !== null && lost === null
  return { agrees: isRead && agrees(state), readAgeMs: Math.max(0, state.at - (readAt ?? state.at)) }
}

function tellFaults(faulty: readonly Faulty[]): number {
  for (const { problems, sourceOf } of faulty) process.stderr.write(`${problemsText(sourceOf, problems)}\n`)
  return exitCodes.data
}
