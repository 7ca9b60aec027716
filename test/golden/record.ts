import { refusalOf } from '#src/venues/whitebit/adapter/refusals.ts'
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }
import { Engine } from '#src/engine/engine.ts'
import { engineVersion } from '#src/engine/engine-version.ts'
import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import { readTape } from '#src/research/recording/read-tape.ts'
import { backtests, outcomeOf } from './backtests.ts'
import { askedInTheEnd, dealings, venueText } from './dealings.ts'
import { factsOf } from './facts.ts'
import { packFolder } from './folder-file.ts'
import { writeMarkets } from './markets.ts'

/**
 * `npm run golden`, or with the names of parts: records what this version does, into a folder with its name. What an earlier
 * version has recorded is never written again.
 */
const golden = fileURLToPath(new URL('.', import.meta.url))
const launcher = fileURLToPath(new URL('../../src/rungs.mjs', import.meta.url))
const recorded = join(golden, 'recorded', packageJson.version)
const scratch = mkdtempSync(join(tmpdir(), 'rungs-golden-'))
const strategy = (name: string) => join(golden, 'strategies', `${name}.yaml`)

const parts: Record<string, () => Promise<void>> = {
  async backtests() {
    const lines: string[] = []
    for (const name of Object.keys(backtests)) {
      lines.push(JSON.stringify({ name, ...(await outcomeOf(name)) }))
    }
    writeFileSync(join(recorded, 'backtests.ndjson'), `${lines.join('\n')}\n`)
  },

  async tapes() {
    mkdirSync(join(recorded, 'tapes'), { recursive: true })
    for (const name of Object.keys(taped(0))) {
      const tape = join(recorded, 'tapes', `${name}.tape`)
      for (let attempt = 1; !hasBulk(tape); attempt++) {
        if (attempt > 20) throw new Error(`${name} places nothing within seconds`)
        rmSync(tape, { force: true })
        const { speed, changes = [] } = taped(attempt)[name]!
        const file = join(scratch, `${name}.yaml`)
        const text = readFileSync(strategy(name), 'utf8')
        writeFileSync(
          file,
          changes.reduce((changed, [from, to]) => changed.replace(from, to), text),
        )
        const words = ['--for', '5s', '--speed', String(speed), '--record', tape]
        await rungs(['run', file, ...words, '--state-dir', join(scratch, `${name}-${attempt}`)])
      }
    }
  },

  async journals() {
    mkdirSync(join(recorded, 'journals'), { recursive: true })
    const ordered = join(scratch, 'ordered')
    await rungs(['run', ...traders, '--for', '6s', '--speed', '120', '--json', '--state-dir', ordered])
    await keepJournal('ordered', ordered)
    // A run with lost calls has orders in flight whenever it is killed.
    for (let attempt = 1; ; attempt++) {
      const killed = join(scratch, `killed-${attempt}`)
      const words = ['--faults', '30%', '--speed', '120', '--json', '--state-dir', killed]
      await rungs(['run', ...traders, ...words], { killAt: /"type":"order-unknown"/, after: 25 })
      const orders = Object.values(stateIn(killed).orders)
      const [onTheirWay, doubtful] = (['sending', 'doubtful'] as const).map(
        (status) => orders.filter((order) => order.status === status).length,
      )
      if (onTheirWay! > 0 && doubtful! > 0) return keepJournal('killed', killed)
      if (attempt === 20) throw new Error('no order was in flight when the run was killed')
    }
  },

  async exchange() {
    mkdirSync(join(recorded, 'exchange'), { recursive: true })
    for (const end of ['SIGTERM', 'SIGKILL'] as const) {
      const name = end === 'SIGTERM' ? 'ordered' : 'killed'
      const data = join(scratch, `exchange-${name}`)
      const words = ['exchange', '--port', '0', '--profile', 'full', '--market', 'still', '--seed', 'golden']
      const process = start([...words, '--data', data])
      const { url, euUrl } = JSON.parse(await process.line(/"listening"/))
      const ask = async ({ who, words: call }: (typeof dealings)[number]) => {
        const venue = join(scratch, `${who}.yaml`)
        writeFileSync(venue, venueText(who, url, euUrl), { mode: 0o600 })
        const where = ['--venue', venue, '--state-dir', join(scratch, `${name}-${who}`), '--yes', '--json']
        return JSON.parse(await rungs(['api', ...call, ...where]))
      }
      for (const call of dealings) await ask(call)
      const answers: Record<string, unknown> = {}
      for (const call of askedInTheEnd) answers[`${call.who} ${call.words.join(' ')}`] = await ask(call)
      await process.end(end)
      packFolder(data, join(recorded, 'exchange', `${name}.folder`))
      write(`exchange/${name}.json`, { at: Date.now(), answers })
    }
  },
}

type Taped = { speed: number; changes?: [string | RegExp, string][] }

/** How many times as fast as ours their time goes, and what else has to be so that each of them acts within seconds. */
function taped(attempt: number): Record<string, Taped> {
  // An exchange that has just begun is twenty minutes ahead, and a machine that is busy makes it more.
  const soon = new Date(Date.now() + (20 + 7 * attempt) * 60_000).toISOString().slice(11, 16)
  return {
    '01-static-grid': { speed: 240 },
    '02-geometric-dip-ladder': { speed: 240 },
    '03-trailing-volatility-grid': { speed: 240 },
    '04-dca-take-profit': { speed: 240 },
    '05-market-making': { speed: 60 },
    '06-mean-reversion': {
      speed: 240,
      changes: [
        ['crosses_below: [price, lower]', 'price < 2 * basis'],
        ['rsi(px, 14) < 50', 'rsi(px, 14) < 101'],
      ],
    },
    '07-scheduled-accumulation': {
      speed: 240,
      changes: [
        ['Mon 12:00', `daily ${soon}`],
        ['daily 01:00', `daily ${soon}`],
      ],
    },
    '08-hedged-ladders': { speed: 240 },
  }
}

function hasBulk(tape: string): boolean {
  if (!existsSync(tape)) return false
  return readTape(tape).events.some((event) => event.kind === 'call' && event.path.endsWith('/bulk'))
}

const traders = ['01-static-grid', '05-market-making', '08-hedged-ladders', 'tightly'].map(strategy)

async function keepJournal(name: string, folder: string): Promise<void> {
  packFolder(folder, join(recorded, 'journals', `${name}.folder`))
  const copy = `${folder}-copy`
  cpSync(folder, copy, { recursive: true })
  const status = JSON.parse(await rungs(['status', '--json', '--state-dir', copy]))
  write(`journals/${name}.json`, { facts: factsOf(stateIn(copy)), status })
}

function stateIn(folder: string) {
  using history = new SqliteHistory(folder)
  return history.machine(engineVersion, (state) => new Engine(state, { refusalOf })).state
}

function write(path: string, value: unknown): void {
  writeFileSync(join(recorded, path), `${JSON.stringify(value, null, 2)}\n`)
}

type Started = {
  /** The first line like that. */
  line(pattern: RegExp): Promise<string>
  end(signal: NodeJS.Signals): Promise<void>
}

function start(words: readonly string[]): Started {
  const child = spawn(process.execPath, [launcher, ...words], { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async line(pattern) {
      for (;;) {
        const { value, done } = await lines.next()
        if (done === true) throw new Error(`${words.join(' ')} ended before ${pattern.source}`)
        if (pattern.test(value)) return value
      }
    },
    async end(signal) {
      child.kill(signal)
      await ended
    },
  }
}

/** What a command says on stdout. One that is to be killed is so at the first such line behind so many. */
async function rungs(words: readonly string[], kill?: { killAt: RegExp; after: number }): Promise<string> {
  const child = spawn(process.execPath, [launcher, ...words], { stdio: ['ignore', 'pipe', 'ignore'] })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    if (kill && stdout.split('\n').length > kill.after && kill.killAt.test(text)) child.kill('SIGKILL')
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', (ended) => resolve(ended)))
  // A status of a folder in which no bot runs ends with 69.
  if (code !== 0 && code !== 69 && kill === undefined)
    throw new Error(`${words.join(' ')} ended with ${code}`)
  return stdout
}

mkdirSync(recorded, { recursive: true })
const chosen = process.argv.slice(2)
try {
  if (!existsSync(join(golden, 'markets'))) writeMarkets()
  for (const name of chosen.length > 0 ? chosen : Object.keys(parts)) {
    const before = ['', '.ndjson']
      .map((ending) => join(recorded, `${name}${ending}`))
      .find((path) => existsSync(path))
    if (before !== undefined) throw new Error(`${before} is there already: recordings stay as they are`)
    await parts[name]!()
  }
} finally {
  rmSync(scratch, { recursive: true })
}
