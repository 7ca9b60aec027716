import { setTimeout as delay } from 'node:timers/promises'
import { confirm } from '#src/cli/words/confirm.ts'
import { printed } from '#src/cli/words/printed.ts'
import { counted } from '#src/cli/words/text.ts'
import { clientOf, noncesOf } from '#src/cli/files/venue-access.ts'
import { stateFolder } from '#src/cli/files/state-folder.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { openOrders } from '#src/venues/whitebit/adapter/order-lists.ts'
import { failedRead, reasonOf } from '#src/venues/whitebit/adapter/read-of.ts'
import type { ReadOf } from '#src/venues/whitebit/contract/endpoint.ts'
import type { Contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { Client } from '#src/venues/whitebit/client/client.ts'
import { loadVenueFile } from '#src/venues/whitebit/settings/venue-file.ts'
import { callBot } from './control-call.ts'

type AccountFlags = {
  venue: string
  yes: boolean
  wait: number
  reason: string
  stateDir: string | undefined
}
type Position = Pick<
  ReadOf<Contract['openPositions']>[number],
  'positionId' | 'market' | 'amount' | 'positionSide'
>
/** What is open at the venue, and what of it could not be read. */
type Open = { orders: string[]; positions: Position[]; unread: number }

const pollMs = 1000
const deadlineMs = 20_000
const shownMost = 20
const readsMost = 5

/**
 * `rungs flatten --account`: cancels all orders and closes all positions that the venue lists, also those of other programs.
 * First it stops a bot of the state folder and freezes its exits: the bot would close the same positions.
 */
export async function flattenAccount(flags: AccountFlags): Promise<number> {
  const venue = loadVenueFile({ path: flags.venue })
  const { url } = venue
  const folder = stateFolder(flags.stateDir)
  const client = clientOf(venue, { nonces: noncesOf(venue, folder) })
  try {
    const first = await readOpen(client)
    if (first.kind !== 'read') throw notRead(url, reasonIn(first))
    if (isFlat(first.value)) return printed(`No order and no position is open at ${url}.`)
    const seen = `rungs flatten --account cancels all orders and closes all positions at ${url}`
    const question = `Cancel all these orders and close all these positions at ${url}?`
    if (!flags.yes) await confirm({ seen, question, details: openText(first.value) })
    const aboutBot = await stopBot(folder, flags.reason)
    const { isClosed, text } = await closeUntilFlat(client, first.value, flags.wait)
    const closed = `No order and no position is open at ${url} any more.`
    process.stdout.write(`${isClosed ? closed : text}\n${aboutBot}\n`)
    return isClosed ? exitCodes.ok : exitCodes.findings
  } finally {
    await client.close()
  }
}

/** Stops the bot of the folder, and returns what the operator must know. A bot without an answer is no reason to wait. */
async function stopBot(folder: string, reason: string): Promise<string> {
  try {
    const answer = await callBot(folder, 'halt', { strategy: null, reason, freeze: true })
    if (answer === undefined)
      return `No bot runs in ${printable(folder)}. A bot of another folder or machine may place orders again.`
    if (answer.status === 200)
      return (
        'The bot is stopped, and its exits are frozen. Next: rungs status shows which ladders the bot still counts as open; ' +
        'report each with rungs resolve LADDER gone --price PRICE --reason TEXT.'
      )
    return `The bot refused to stop (status ${answer.status}): end its process, or it may place orders again.`
  } catch (error) {
    if (!(error instanceof BotError)) throw error
    return `The bot is not stopped (${printable(error.seen)}): end its process, or it may place orders again.`
  }
}

/** Closed means that two reads in a row show nothing: an order of the bot may have been in flight. */
async function closeUntilFlat(
  client: Client,
  first: Open,
  waitMs: number,
): Promise<{ isClosed: boolean; text: string }> {
  const end = performance.now() + waitMs
  const refusals = new Set<string>()
  let [open, flatReads] = [first, 0]
  let failure: string | undefined
  do {
    await closeAll(client, open, refusals)
    const found = await readOnce(client)
    failure = found.kind === 'read' ? undefined : reasonIn(found)
    if (found.kind === 'read') open = found.value
    flatReads = failure === undefined && isFlat(open) ? flatReads + 1 : 0
    if (flatReads < 2) await delay(pollMs)
  } while (flatReads === 1 || (flatReads === 0 && performance.now() < end))
  const heading =
    failure === undefined
      ? 'Still open:'
      : `The venue does not answer (${printable(failure)}). Last seen open:`
  const refused = [...refusals].map((refusal) => `The venue did not accept: ${printable(refusal)}`)
  return { isClosed: flatReads === 2, text: [heading, openText(open), ...refused].join('\n') }
}

/** A refused or unknown outcome is not an error here: the next read shows what is open. */
async function closeAll(client: Client, { orders, positions, unread }: Open, refusals: Set<string>) {
  const note = (what: string, outcome: Awaited<ReturnType<Client['cancelAll']>>) => {
    if (outcome.kind !== 'accepted') refusals.add(`${what}: ${reasonOf(outcome)}`)
  }
  if (orders.length + unread > 0) note('cancel all orders', await client.cancelAll({}, { deadlineMs }))
  for (const { positionId, market, positionSide } of positions) {
    const what = `close the position in ${market}`
    if (positionId === undefined) refusals.add(`${what}: the list does not show its id`)
    else {
      const side = positionSide === 'LONG' || positionSide === 'SHORT' ? { positionSide } : {}
      note(what, await client.closePosition({ positionId, market, ...side }, { deadlineMs }))
    }
  }
}

/** A running bot uses the same key, so the venue may refuse a read for its nonce: the read is repeated. */
async function readOpen(client: Client): Promise<{ kind: 'read'; value: Open } | NotRead> {
  let found = await readOnce(client)
  for (let tries = 1; tries < readsMost && found.kind !== 'read' && found.kind !== 'denied'; tries++) {
    await delay(pollMs)
    found = await readOnce(client)
  }
  return found
}

function reasonIn(found: NotRead): string {
  return 'reason' in found ? found.reason : 'the list of orders changed while it was read'
}

type NotRead = Exclude<Awaited<ReturnType<typeof openOrders>>, { kind: 'read' }>

async function readOnce(client: Client): Promise<{ kind: 'read'; value: Open } | NotRead> {
  const orders = await openOrders(client, { deadlineMs })
  if (orders.kind !== 'read') return orders
  const positions = await client.openPositions({}, { deadlineMs })
  if (positions.kind !== 'answer') return failedRead(positions)
  const value = {
    orders: [...orders.value.orders.values()].map(({ text }) => text),
    positions: positions.value.filter(({ amount }) => Number(amount) !== 0),
    unread: orders.value.unread.size + (positions.unread?.length ?? 0),
  }
  return { kind: 'read', value }
}

function notRead(url: string, reason: string): BotError {
  return new BotError('VENUE_UNREACHABLE', {
    seen: `${url} does not list the open orders and positions: ${printable(reason)}`,
    fix:
      'Try again, or cancel and close on the web page of the venue. At a venue without these lists, ' +
      'rungs flatten closes what the strategies of a bot hold',
  })
}

function isFlat({ orders, positions, unread }: Open): boolean {
  return orders.length + positions.length + unread === 0
}

function openText({ orders, positions, unread }: Open): string {
  const more = orders.length - shownMost
  return [
    `${counted(orders.length, 'open order')}${orders.length === 0 ? '' : ':'}`,
    ...orders.slice(0, shownMost).map((text) => `  ${printable(text)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    `${counted(positions.length, 'open position')}${positions.length === 0 ? '' : ':'}`,
    ...positions.map(({ market, amount }) => `  ${printable(market)}: ${printable(amount)}`),
    ...(unread > 0 ? [`${unread} more that could not be read`] : []),
  ].join('\n')
}
