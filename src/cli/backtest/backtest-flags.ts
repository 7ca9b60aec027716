import { leverages } from '#src/venues/whitebit/contract/trading/leverages.ts'
import { keysOf } from '#src/core/objects/objects.ts'
import { measureNames, type RankMeasure } from '#src/research/sweep/measure-names.ts'
import { usage } from '#src/cli/words/usage.ts'
import { formatAtoms, oneUnit, parseSignedAtoms } from '#src/core/money/atoms.ts'
import { signedPattern } from '#src/core/money/decimal-text.ts'
import { spanOf } from '#src/cli/words/flags.ts'

/** One fee for both sides, or maker and taker fee: 0.1%, or 0.02%,0.055%. A rebate is negative: -0.01%,0.05%. */
export function feesOf(text: string): { maker: string; taker: string } {
  const shares = text.split(',').map(shareOf)
  const [maker, taker = maker] = shares
  if (maker === undefined || taker === undefined || shares.length > 2 || shares.includes(undefined)) {
    throw usage(
      `"${text.slice(0, 40)}" is not a fee`,
      'Write one fee, or maker and taker fee: 0.1% or 0.02%,0.055%; a rebate is negative: -0.01%,0.05%',
    )
  }
  if (isWhole(maker) || isWhole(taker)) {
    throw usage(
      `${text.slice(0, 40)}: a fee must be below 100%`,
      'Write shares below 1, such as 0.001, or percent below 100, such as 0.1%; a rebate is above -100%',
    )
  }
  return { maker, taker }
}

function shareOf(text: string): string | undefined {
  const [, number = '', percent] = /^([^%]+)(%?)$/.exec(text.trim()) ?? []
  if (!signedPattern.test(number)) return undefined
  return percent === '%' ? formatAtoms(parseSignedAtoms(number) / 100n) : number
}

function isWhole(share: string): boolean {
  const rate = parseSignedAtoms(share)
  return rate >= oneUnit || rate <= -oneUnit
}

/** The leverage of the account, one of those that the venue offers. */
export function leverageOf(text: string): number {
  const found = leverages.find((leverage) => String(leverage) === text)
  if (found !== undefined) return found
  throw usage(
    `"${text.slice(0, 20)}" is not a leverage of the venue`,
    `Write one of ${leverages.join(', ')}, such as --leverage 5`,
  )
}

/** One or several measures of a sweep, each once. */
export function measuresOf(text: string): RankMeasure[] {
  const known = keysOf(measureNames)
  return text.split(',').map((word, index, all) => {
    const found = known.find((name) => name === word.trim())
    if (found !== undefined && all.indexOf(word) === index) return found
    const fault = found === undefined ? `"${word.slice(0, 20)}" is not a measure` : `${word} is there twice`
    throw usage(
      `--rank ${text.slice(0, 40)}: ${fault}`,
      `Write one or several of ${known.join(', ')}, such as --rank profit,drawdown`,
    )
  })
}

/** The latency of a request; 0 is allowed. */
export function latencyOf(text: string): number {
  return /^0(?:ms)?$/.test(text) ? 0 : spanOf(text)
}

/** More workers than cores only make each of them slower, and may use up the memory. */
const workersMost = 256

export function workersOf(text: string): number {
  const workers = countOf(text)
  if (workers <= workersMost) return workers
  throw usage(
    `${workers} parallel backtests are more than the maximum of ${workersMost}`,
    'Omit --workers: the default is the number of CPU cores',
  )
}

export function countOf(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw usage(`"${text.slice(0, 20)}" is not a count`, 'Write a whole number from 1 to 9999999')
}

export function seedOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw usage(`"${text.slice(0, 20)}" is not a seed`, 'Write a whole number from 0 to 999999999')
}
