import { answerText, isDenied, refusalIn, refusalText } from './probe-answers.ts'
import { notFound, type ProbeAnswer, type ProbeSteps } from './experiment.ts'

/** Experiments that send reads only. */

const balance = { do: 'ask', call: 'tradingBalance', parameters: {} } as const
const unknownName = 'rungs_probe'

const unknownNames = {
  refuse: 'the venue refuses parameters that it does not know',
  ignore: 'the venue ignores parameters that it does not know',
  split:
    'the venue ignores parameters that it does not know in public calls, and refuses them in private calls',
}

export function* unknownParameters(): ProbeSteps {
  const about = 'unknownParameters'
  const parameters = { [unknownName]: '1' }
  const ofPrivate = yield { ...balance, parameters }
  const ofPublic = yield { do: 'ask', call: 'ticker', parameters }
  const [isRefused, isPublicRefused] = [isUnknownRefused(ofPrivate), isUnknownRefused(ofPublic)]
  if (isRefused === undefined) return notFound(about, answerText(ofPrivate))
  if (isPublicRefused === undefined) return notFound(about, answerText(ofPublic))
  if (!isRefused && isPublicRefused) return notFound(about, 'public calls refuse them, private calls do not')
  const value = !isRefused ? 'ignore' : isPublicRefused ? 'refuse' : 'split'
  const means = isRefused
    ? 'a misspelled flag of an order is reported'
    : 'a misspelled flag, such as postonly, has no effect: the order is placed without it'
  return { about, value, found: unknownNames[value], means }
}

/** Undefined if it was refused for another reason. */
function isUnknownRefused({ status, body }: ProbeAnswer): boolean | undefined {
  if (JSON.stringify(body ?? '').includes(unknownName)) return true
  return status === 200 && refusalIn(body) === undefined ? false : undefined
}

export function* blanksInBody(): ProbeSteps {
  const about = 'blanksInBody'
  const answer = yield { ...balance, blanks: true }
  const isAccepted = answer.status === 200 && refusalIn(answer.body) === undefined
  const refusal = refusalIn(answer.body)
  if (!isAccepted && !/payload|signature/i.test(refusal?.message ?? ''))
    return notFound(about, answerText(answer))
  const found = isAccepted
    ? 'the venue accepts a signed body with blanks between its parts'
    : `the venue refuses a signed body with blanks between its parts: ${answerText(answer)}`
  return { about, value: isAccepted ? 'accept' : 'refuse', found, means: 'the client writes no blanks' }
}

/** Less than six months, which some venues do not look back beyond. */
const spanTriedMost = 175

/** Looks for the most days between the two dates of a history. */
export function* historySpan(startedAtMs: number): ProbeSteps {
  const about = 'historySpan'
  const endDate = Math.floor(startedAtMs / 1000)
  let [least, most] = [0, spanTriedMost + 1]
  let refused = ''
  while (most - least > 1) {
    const days = least === 0 ? 1 : most > spanTriedMost ? spanTriedMost : Math.floor((least + most) / 2)
    const parameters = { startDate: endDate - days * 86_400, endDate, limit: 1 }
    const answer = yield { do: 'ask', call: 'orderHistory', parameters }
    const refusal = refusalIn(answer.body)
    if (answer.status === 200 && refusal === undefined) least = days
    else if (refusal === undefined || days === 1) return notFound(about, answerText(answer))
    else [most, refused] = [days, refusalText(refusal)]
  }
  const means = 'the bot reads the history of its last hours'
  if (refused === '') {
    const found = `a read of ${least} days of the history is accepted; the probe asks for no more`
    return { about, value: 'none', found, means }
  }
  const found = `a read of ${least} days of the history is accepted, of ${most} days refused: ${refused}`
  return { about, value: `${least}d`, found, means }
}

export function* nonceMode(): ProbeSteps {
  const about = 'nonce'
  const answer = yield { ...balance, olderNonce: true }
  const refusal = refusalIn(answer.body)
  if (answer.status === 200 && refusal === undefined)
    return {
      about,
      value: 'window',
      found: 'a lower nonce near the present time is accepted with nonceWindow',
      means: 'calls may overlap; each nonce counts once, and the clock of this machine must be correct',
      settings: { nonce: 'window' },
    }
  // The family has two words for it: the window is not offered, or the nonce did not rise.
  const isAboutNonce = refusal !== undefined && /nonceWindow|too many requests/i.test(refusal.message)
  if (!isAboutNonce) return notFound(about, answerText(answer))
  return {
    about,
    value: 'strict',
    found: `a nonce lower than the last one is refused with nonceWindow too: ${refusalText(refusal)}`,
    means: 'each nonce must be higher than the one before: only one process may use the key',
    settings: { nonce: 'strict' },
  }
}

/** A page of no elements is refused everywhere, by both families of private calls. */
export function* refusalStatus(): ProbeSteps {
  const about = 'refusalStatus'
  const trade = yield { do: 'ask', call: 'orderHistory', parameters: { limit: 0 } }
  const account = yield { do: 'ask', call: 'fixedInterest', parameters: { limit: 0 } }
  if (isDenied(account) || refusalIn(account.body) === undefined) return notFound(about, answerText(account))
  if (refusalIn(trade.body) === undefined) return notFound(about, answerText(trade))
  const statuses = `${trade.status}/${account.status}`
  const isSame = trade.status === account.status
  return {
    about,
    value: statuses === '422/400' ? 'split' : isSame ? String(trade.status) : statuses,
    found: `invalid parameters: status ${trade.status} for trading calls, ${account.status} for account calls`,
    means: 'the client reads all of these statuses',
  }
}
