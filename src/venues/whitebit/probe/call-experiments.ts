import { answerText, refusalIn, refusalText } from './probe-answers.ts'
import { notFound, type ProbeSteps } from './experiment.ts'

/** Experiments that send reads only. */

const balance = { do: 'ask', call: 'tradingBalance', parameters: {} } as const
const unknownName = 'rungs_probe'

export function* unknownParameters(): ProbeSteps {
  const about = 'unknownParameters'
  const answer = yield { ...balance, parameters: { [unknownName]: '1' } }
  if (answer.status === 200 && refusalIn(answer.body) === undefined)
    return [
      {
        about,
        value: 'ignore',
        found: 'the venue ignores a parameter that it does not know',
        means: 'a misspelled flag, such as postonly, has no effect there: the order is placed without it',
      },
    ]
  const refusal = refusalIn(answer.body)
  if (refusal?.names.includes(unknownName) !== true) return [notFound(about, answerText(answer))]
  return [
    {
      about,
      value: 'refuse',
      found: `the venue refuses a parameter that it does not know: ${refusalText(refusal)}`,
      means: 'a misspelled flag is reported',
    },
  ]
}

export function* nonceMode(): ProbeSteps {
  const about = 'nonce'
  const answer = yield { ...balance, olderNonce: true }
  const refusal = refusalIn(answer.body)
  if (answer.status === 200 && refusal === undefined)
    return [
      {
        about,
        value: 'window',
        found: 'a lower nonce near the present time is accepted with nonceWindow',
        means: 'calls may overlap; each nonce counts once, and the clock of this machine must be correct',
        settings: { nonce: 'window' },
      },
    ]
  // The family has two words for it: the window is not offered, or the nonce did not rise.
  const isAboutNonce = refusal !== undefined && /nonceWindow|too many requests/i.test(refusal.message)
  if (!isAboutNonce) return [notFound(about, answerText(answer))]
  return [
    {
      about,
      value: 'strict',
      found: `a nonce lower than the last one is refused with nonceWindow too: ${refusalText(refusal)}`,
      means: 'each nonce must be higher than the one before: only one process may use the key',
      settings: { nonce: 'strict' },
    },
  ]
}

/** A page of no elements is refused everywhere, by both families of private calls. */
export function* refusalStatus(): ProbeSteps {
  const about = 'refusalStatus'
  const trade = yield { do: 'ask', call: 'orderHistory', parameters: { limit: 0 } }
  const account = yield { do: 'ask', call: 'fixedInterest', parameters: { limit: 0 } }
  const isDenied = account.status === 403 || account.status === 404
  if (isDenied || refusalIn(account.body) === undefined) return [notFound(about, answerText(account))]
  if (refusalIn(trade.body) === undefined) return [notFound(about, answerText(trade))]
  const statuses = `${trade.status}/${account.status}`
  const isSame = trade.status === account.status
  return [
    {
      about,
      value: statuses === '422/400' ? 'split' : isSame ? String(trade.status) : statuses,
      found: `invalid parameters: status ${trade.status} for trading calls, ${account.status} for account calls`,
      means: 'the client reads all of these statuses',
    },
  ]
}
