import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Block, Document } from './documents.ts'

/** One command of a document, split into words as a shell would split them. */
export type DocumentedCommand = {
  text: string
  verb: string
  words: string[]
  exitCode: number
  outFile: string | undefined
}

/** `not run: reason` above a block leaves it out. */
export const isNotRun = ({ mark }: Block): boolean => /^not run: \S/.test(mark)

const shells = new Set(['sh', 'bash', 'shell', 'console', 'zsh'])
export const isShell = ({ language, text }: Block): boolean =>
  shells.has(language) || (language === '' && /^(?:\$ |npx |npm |rungs )/m.test(text))

/** The commands of a block. `# exit code 69` behind a command says how it ends. */
function commandsIn(block: Block): DocumentedCommand[] {
  return block.text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const text = line.replace(/\s+# .*$/, '')
      const words = [...text.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
      if (words[0] === 'npx') words.shift()
      const [program, verb = '', ...rest] = words
      const to = rest.indexOf('>')
      return {
        text,
        verb: program === 'rungs' ? verb : '',
        words: to === -1 ? rest : rest.slice(0, to),
        exitCode: Number(/# .*\bexit code (\d+)/.exec(line)?.[1] ?? 0),
        outFile: to === -1 ? undefined : rest[to + 1],
      }
    })
}

/** The two commands that a newcomer needs: `npm ci` and `npm test` run this very test. */
export const firstCommands = ['npm ci && npm start', 'npm ci && npm test']

export function commandsOf({ blocks }: Document): DocumentedCommand[] {
  return blocks
    .filter((block) => isShell(block) && !isNotRun(block))
    .flatMap(commandsIn)
    .filter(({ text }) => !firstCommands.includes(text))
}

const portFlags = new Set(['--port', '--eu-port', '--admin'])
/** What is recorded is read by other commands. */
const secondsMost = (words: readonly string[]): number => (words.includes('--record') ? 2 : 1)

/** Two hours of the packaged markets. */
const to = '2026-01-05T02:00:00Z'

/** The same words with files in a folder of the test, any free port, and short runs, backtests and simulations. */
export function placed({ verb, words }: DocumentedCommand, folder: string): string[] {
  const short = words.map((word, index) => {
    const flag = words[index - 1] ?? ''
    if (portFlags.has(flag)) return '0'
    if (flag === '--for' && (verb === 'run' || verb === 'record')) {
      const [, seconds = ''] = /^(\d+)s$/.exec(word) ?? []
      return `${Math.min(Number(seconds) || Infinity, secondsMost(words))}s`
    }
    if (flag === '--for' && verb === 'market') return '1h'
    if (flag === '--to') return to
    if (flag === '--faults' && verb === 'simulate') return '3'
    return inFolder(word, folder)
  })
  return verb === 'backtest' && !words.includes('--to') ? [...short, '--to', to] : short
}

const inFolder = (word: string, folder: string): string => word.replace(/^(\w+=)?\.rungs\//, `$1${folder}/`)

/** The words of a command as they stand, with files in a folder of the test. */
export const wordsIn = ({ verb, words }: DocumentedCommand, folder: string): string[] => [
  verb,
  ...words.map((word) => inFolder(word, folder)),
]

/** `file: .rungs/NAME` above a block: the commands of the document read it under this name. */
export function writeFiles({ blocks }: Document, folder: string): void {
  for (const { mark, text } of blocks) {
    const [, name] = /^file: \.rungs\/(\S+)$/.exec(mark) ?? []
    if (name === undefined) continue
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}
