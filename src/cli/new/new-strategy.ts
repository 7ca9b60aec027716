import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeFolder } from '#src/core/disk/folder.ts'
import { writeWholeFile } from '#src/core/disk/atomic-write.ts'
import type { DraftPlace } from '#src/strategy/draft/bounds.ts'
import { blankDraft, type StrategyDraft } from '#src/strategy/draft/kinds.ts'
import { questions, type AnswerMistake, type DraftVenue } from '#src/strategy/draft/questions.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import { notWritten, onDisk } from '#src/cli/files/named-file.ts'
import { rulesFor } from '#src/cli/check/check.ts'
import type { VenueRules } from '#src/runtime/compose/venue-rules.ts'
import { ladderText } from '#src/cli/check/preview-text.ts'
import { drafted, type Drafted } from './new-file.ts'
import { person, type Person } from './questions.ts'
import { shellWord } from '#src/cli/words/text.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { printed } from '#src/cli/words/printed.ts'

type Answers = Partial<Record<keyof StrategyDraft, string>>
export type NewFlags = Answers & { venue?: string; yes?: boolean }

const packageFolder = fileURLToPath(new URL('../../../', import.meta.url))

/** `rungs new [FILE]`: asks for everything that no flag gives, and writes a strategy that passes `rungs check`. */
export async function newStrategy(path: string | undefined, flags: NewFlags): Promise<number> {
  if (path !== undefined) refuseIfThere(path)
  const rules = await rulesFor(flags)
  const venue = venueOf(rules)
  const asks = process.stdin.isTTY && process.stderr.isTTY && flags.yes !== true
  using asked = asks ? person() : undefined
  asked?.tell('Enter accepts the value in [brackets]; Ctrl-C stops without writing a file.\n')
  const nameTaken = (name: string) => path === undefined && existsSync(fileOf(name))
  const draft = await answered(flags, venue, nameTaken, asked)
  const file = path ?? fileOf(draft.name)
  const place = venue.places.get(draft.market)
  if (!place) throw new Error(`${draft.market} was asked for and has no place`)
  const schema = relative(dirname(resolve(file)), join(packageFolder, 'config/strategy.schema.json'))
  const made = drafted(draft, place, rules, schema)
  if (made.problems.length > 0) throw unfit(made)
  write(file, made.text)
  return printed(doneText(file, draft, made, flags.venue))
}

/** Each question with its flag, its answer, or its default. */
export async function answered(
  flags: Answers,
  venue: DraftVenue,
  nameTaken: (name: string) => boolean,
  asked: Person | undefined,
): Promise<StrategyDraft> {
  const draft = { ...blankDraft }
  for (const question of questions) {
    const { flag, text, usual } = question
    const given = flags[flag]
    const words = text(draft, venue)
    if (words !== undefined) {
      const offered = flag === 'name' ? freeName(usual(draft, venue), nameTaken) : usual(draft, venue)
      const take = (line: string) => {
        const taken = question.take(line.trim() || offered, draft, venue)
        return 'seen' in taken ? taken : (nameMistake(taken.name, nameTaken) ?? taken)
      }
      const settled =
        asked && given === undefined
          ? await askedFor(`${words} [${offered}]: `, take, asked)
          : flagTaken(flag, take(given ?? offered))
      Object.assign(draft, settled)
    } else if (given !== undefined) {
      throw usage(`--${flag} has no effect on a ${draft.kind} strategy`, 'Omit it')
    }
  }
  return draft
}

type Take = (line: string) => Partial<StrategyDraft> | AnswerMistake

/** At a terminal, a wrong answer can be corrected. */
async function askedFor(
  question: string,
  take: Take,
  { ask, tell }: Person,
): Promise<Partial<StrategyDraft>> {
  for (;;) {
    const line = await ask(question)
    if (line === undefined) {
      throw new BotError('NOT_CONFIRMED', {
        seen: 'the input ended before the last question',
        fix: 'Run the command again; nothing was written',
      })
    }
    const taken = take(line)
    if (!('seen' in taken)) return taken
    tell(`  ${printable(taken.seen)}\n  ${printable(taken.fix)}\n`)
  }
}

function flagTaken(flag: string, taken: Partial<StrategyDraft> | AnswerMistake): Partial<StrategyDraft> {
  if (!('seen' in taken)) return taken
  throw usage(`--${flag} ${printable(taken.seen)}`, taken.fix)
}

function nameMistake(
  name: string | undefined,
  nameTaken: (name: string) => boolean,
): AnswerMistake | undefined {
  if (name === undefined || !nameTaken(name)) return undefined
  return { seen: `${fileOf(name)} exists, and new does not overwrite files`, fix: 'Write another name' }
}

function freeName(usual: string, nameTaken: (name: string) => boolean): string {
  let name = usual
  for (let number = 2; nameTaken(name); number++) name = `${usual}${number}`
  return name
}

function fileOf(name: string): string {
  return `${name}.yaml`
}

export function venueOf({ markets, prices, batchMax }: VenueRules): DraftVenue {
  const places = new Map<string, DraftPlace>()
  for (const [name, market] of markets) {
    const price = prices.get(name)
    if (price?.gt(0)) places.set(name, { market, price, batchMax })
  }
  return { places }
}

function refuseIfThere(path: string): void {
  if (!existsSync(path)) return
  throw new BotError('FILE_NOT_WRITTEN', {
    seen: `${path} exists, and new does not overwrite files`,
    fix: 'Name another file, or move the existing file',
  })
}

function write(path: string, text: string): void {
  refuseIfThere(path)
  const create = () => {
    makeFolder(dirname(path))
    writeWholeFile(path, text, { mode: 0o666 })
  }
  onDisk(path, create, notWritten)
}

/** Market data that exists: flags of a backtest, with their files. */
const samples: Partial<Record<string, [flag: string, name: string][]>> = {
  BTC_PERP: [
    ['market', 'BTC_PERP.csv.zst'],
    ['funding', 'BTC_PERP-funding.csv'],
  ],
  BTC_USDT: [['market', 'BTC_USDT.csv']],
}

/** A problem that no question covers, such as a venue without a capability. */
function unfit({ problems: [problem] }: Drafted): BotError {
  const { message = '', hint = '' } = problem ?? {}
  return usage(`the strategy would be invalid: ${message}`, hint)
}

function doneText(
  file: string,
  { market, kind }: StrategyDraft,
  { read, preview }: Drafted,
  venue: string | undefined,
): string {
  const ladders =
    read && preview ? preview.ladders.flatMap((each) => ['', ...ladderText(read.strategy, each)]) : []
  const at = venue === undefined ? '' : ` --venue ${shellWord(venue)}`
  const word = shellWord(file)
  const sample = samples[market]?.map(
    ([flag, name]) => `--${flag} ${relative('.', join(packageFolder, 'config/markets', name))}`,
  )
  const next = [
    [`npx rungs check ${word}${at}`, 'shows orders, rules and limits'],
    venue === undefined
      ? [`npx rungs run ${word}`, 'trades with paper money at 60 times the speed, until Ctrl-C']
      : [`npx rungs run ${word}${at}`, 'trades at this venue until Ctrl-C; real orders need --live'],
    ...(sample === undefined || kind === 'market-making'
      ? []
      : [[`npx rungs backtest ${word} ${sample.join(' ')}`, 'backtests one week of sample data']]),
  ]
  const said = `${printable(file)} was written and is valid.`
  return [
    ...ladders.slice(1),
    '',
    said,
    '',
    'Next:',
    ...next.map(([command, about]) => `  ${command}\n      ${about}`),
  ].join('\n')
}
