import { setTimeout as delay } from 'node:timers/promises'
import { confirm } from '#src/cli/words/confirm.ts'
import { printed } from '#src/cli/words/printed.ts'
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
 * `rungs flatten --account`: cancels all orders and closes all positions that the venue lists, whoever has opened them. A bot of
 * the state folder is stopped first, exits included, or it would close the same positions.
 */
export async function flattenAccount(flags: AccountFlags): Promise<number> {
  const { wait, reason } = flags
  const venue = loadVenueFile({ path: flags.venue })
  const folder = stateFolder(flags.stateDir)
  const client = clientOf(venue, { nonces: noncesOf(venue, folder) })
  try {
    let open = await readOpen(client, venue.url)
    if (isFlat(open)) return printed(`No order and no position is open at ${venue.url}.`)
    const seen = `rungs flatten --account cancels all orders and closes all positions at ${venue.url}`
    const question = `Cancel all these orders and close all these positions at ${venue.url}?`
    if (!flags.yes) await confirm({ seen, question, details: openText(open) })
    const stopped = await callBot(folder, 'halt', { strategy: null, reason, freeze: true })
    const refusals = new Set<string>()
    const end = performance.now() + wait
    // An order of the bot may have been on its way: the second look counts.
    for (let looks = 0; looks < 2 && performance.now() < end;) {
      await closeAll(client, open, refusals)
      open = await readOpen(client, venue.url)
      looks = isFlat(open) ? looks + 1 : 0
      if (looks < 2) await delay(pollMs)
    }
    const left = [`Still open:\n${openText(open)}`].concat(
      [...refusals].map((refusal) => `The venue did not accept: ${printable(refusal)}`),
    )
    const rows = [
      ...(isFlat(open) ? [`No order and no position is open at ${venue.url} any more.`] : left),
      stopped === undefined
        ? `No bot runs in ${folder}. A bot elsewhere on this account may place orders again.`
        : 'The bot is stopped, and its exits are frozen. Next: rungs status shows which ladders the bot still ' +
          'counts as open; report each with rungs resolve LADDER gone --price PRICE --reason TEXT.',
    ]
    process.stdout.write(`${rows.join('\n')}\n`)
    return isFlat(open) ? exitCodes.ok : exitCodes.findings
  } finally {
    await client.close()
  }
}

/** An outcome that is refused or unknown is no error here: the next read shows what is open. */
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

/** A running bot uses the same key, so a read may be refused for its nonce: it is repeated. No answer is no empty account. */
async function readOpen(client: Client, url: string): Promise<Open> {
  for (let tries = 1; ; tries++) {
    const found = await readOnce(client)
    if (found.kind === 'read') return found.value
    const reason = 'reason' in found ? found.reason : 'the list of orders changes'
    if (found.kind === 'denied' || tries === readsMost) throw notRead(url, reason)
    await delay(pollMs)
  }
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
    `${orders.length} open orders${orders.length === 0 ? '' : ':'}`,
    ...orders.slice(0, shownMost).map((text) => `  ${printable(text)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    `${positions.length} open positions${positions.length === 0 ? '' : ':'}`,
    ...positions.map(({ market, amount }) => `  ${printable(market)}: ${printable(amount)}`),
    ...(unread > 0 ? [`${unread} more that could not be read`] : []),
  ].join('\n')
}
