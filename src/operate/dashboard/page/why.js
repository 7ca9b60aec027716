// The explanation of a rung from the journal. It is requested again when the row changes.

import { made, part, say } from './page-parts.js'
import { clock, counted, day, plain, signed } from './text.js'

/**
 * @typedef {import('../../../engine/explain/explanation.ts').Explanation} Decision
 * @typedef {import('../../../journal/port.ts').SentRequest} Sending
 * @typedef {{ order: string | null, strategy: string, ladder: string, level: string, decided: { decision: Decision } | null,
 *   rung: Decision['rungs'][number] | null, anchor: string | null, exit: { why: string } | null, pairs: import('../../../engine/holdings/pair-sums.ts').RungPairs | null, sendings: Sending[] }} Reasons
 */

const pauseMs = 1000

/**
 * @param {(path: string) => Promise<unknown>} call
 */
export function whyOf(call) {
  const dialog = part('why', HTMLDialogElement)
  let asked = ''
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  part('why-close').addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  dialog.addEventListener('close', () => {
    asked = ''
  })

  /** @param {string} what */
  async function ask(what) {
    const inside = await call(`/why?what=${encodeURIComponent(what)}`).then(
      // The bot has the same version as this page, so the type fits.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      (found) => reasonParts(/** @type {Reasons} */ (found), what),
      (/** @type {unknown} */ error) => [
        made('p', 'fault', error instanceof Error ? error.message : String(error)),
      ],
    )
    if (asked === what) part('why-body').replaceChildren(...inside)
  }

  return {
    /** @param {string} what A rung or an order. */
    open(what) {
      asked = what
      say(part('why-title'), what)
      part('why-body').replaceChildren(made('p', 'muted', 'Reading the journal…'))
      dialog.showModal()
      void ask(what)
    },
    /** Called when rungs or orders have changed. */
    again() {
      // Reading the journal takes time: one request a second is enough.
      timer ??= setTimeout(() => {
        timer = undefined
        if (asked !== '') void ask(asked)
      }, pauseMs)
    },
  }
}

/**
 * @param {Reasons} reasons
 * @param {string} what
 */
function reasonParts({ order, decided, rung, anchor, exit, pairs, sendings }, what) {
  return [
    ...(rung === null ? sentParts(sendings, order, exit) : rungParts(rung, anchor)),
    ...said('Matched pairs', pairs === null ? null : pairText(pairs)),
    ...sendings.map((sending, index) => sendingPart(sending, index, order)),
    ...(decided === null ? [] : decisionParts(decided.decision, what === order)),
    made('p', 'muted', 'On the command line: ', made('code', '', `rungs why ${what}`)),
  ]
}

/**
 * @param {Decision['rungs'][number]} rung
 * @param {string | null} anchor
 */
function rungParts({ side, amount, price, state, order, why, change }, anchor) {
  const deal = price === '' ? side : `${side} ${plain(amount)} at ${plain(price)}`
  const away = anchor === null ? NaN : (Number(price) / Number(anchor) - 1) * 100
  const place =
    price === '' || !Number.isFinite(away)
      ? ''
      : `${Math.abs(away).toFixed(2)} % ${away < 0 ? 'below' : 'above'} the anchor ${plain(anchor)}`
  return [
    made('p', 'lead', made('b', side, deal), ' ', made('span', `mark ${state}`, state)),
    ...(place === '' ? [] : [made('p', 'muted', place)]),
    ...said('Because', why),
    ...said('Next', change),
    ...said('Its order', order),
  ]
}

/** @param {NonNullable<Reasons['pairs']>} pairs */
function pairText({ pairs, profit, open, floating }) {
  const left = open === '0' ? 'nothing is open' : `open ${plain(open)}, floating ${signed(floating)}`
  return `${plain(pairs)}, grid profit ${signed(profit)}; ${left}`
}

/**
 * An earlier order of a rung, or an exit.
 * @param {readonly Sending[]} sendings
 * @param {string | null} id
 * @param {Reasons['exit']} exit
 */
function sentParts(sendings, id, exit) {
  const order = sendings[0]?.command.orders.find((sent) => sent.id === id)
  if (order === undefined) return [made('p', '', 'The current ladder has no rung with this id.')]
  return [
    made('p', 'lead', made('b', order.side, `${order.side} ${plain(order.amount)} at ${plain(order.price)}`)),
    ...said('Because', exit?.why ?? order.because ?? null),
  ]
}

/**
 * @param {Sending} sending
 * @param {number} index
 * @param {string | null} id
 */
function sendingPart({ event, command, answer }, index, id) {
  const { chunk, orders, stopOnFail, priority } = command
  const place = orders.findIndex((order) => order.id === id)
  const answered = answer?.orders[place]
  const amends = orders[place]?.amends
  return made(
    'section',
    '',
    made('h3', '', `Sent${index === 0 ? '' : ' again'} at ${clock(event.at)}, ${day(event.at)}`),
    made(
      'p',
      '',
      amends === undefined
        ? `In chunk ${chunk} of ${counted(orders.length, 'order')}, priority ${priority}, stopOnFail ${String(stopOnFail)}.`
        : `In the place of ${amends.id}, whose client order id ${amends.clientId} it has at the venue. Priority ${priority}.`,
    ),
    made(
      'p',
      '',
      answer === null ? 'No answer recorded.' : `At ${clock(answer.at)}: ${answerText(answered)}.`,
    ),
  )
}

/** @param {NonNullable<Sending['answer']>['orders'][number] | undefined} answer */
function answerText(answer) {
  switch (answer?.kind) {
    case 'accepted':
      return `accepted as ${answer.venueId}, ${plain(answer.filled)} filled at once`
    case 'refused':
      return `refused, code ${answer.code}: ${answer.message}`
    case 'not-sent':
    case 'unknown':
      return `${answer.kind}: ${answer.reason}`
    case 'not-attempted':
      return 'the bulk stopped before this order'
    default:
      return 'no answer for this order'
  }
}

/**
 * @param {Decision} decision
 * @param {boolean} isOfOrder Whether it sent the order, else it is the latest one of the ladder.
 */
function decisionParts({ at, goal, anchor, writtenOff, rules, lets }, isOfOrder) {
  return [
    made(
      'h3',
      '',
      `${isOfOrder ? 'Decision that sent the order' : 'Latest decision'}, ${clock(at)}, ${day(at)}`,
    ),
    ...said('Goal', anchor === null ? goal : `${goal}, from ${plain(anchor)}`),
    ...said('Written off', writtenOff),
    ...(lets.length === 0
      ? []
      : [
          valueTable(
            'Values',
            lets.map(({ name, text }) => [name, text]),
          ),
        ]),
    ...rules.map(({ id, truth, fired, leaves }) =>
      valueTable(
        `Rule ${id} is ${truth}${fired ? ', and acts' : ''}`,
        leaves.map(({ text, value }) => [text, value]),
      ),
    ),
  ]
}

/**
 * @param {string} title
 * @param {readonly (readonly [string, string])[]} rows
 */
function valueTable(title, rows) {
  const table = made('table', '', made('caption', '', title))
  for (const [name, value] of rows) {
    const head = made('th', '', name)
    head.scope = 'row'
    table.append(made('tr', '', head, made('td', 'number', value)))
  }
  return table
}

/**
 * @param {string} title
 * @param {string | null} text
 */
function said(title, text) {
  return text === null ? [] : [made('p', 'said', made('b', '', title), text)]
}
