import { moneyText } from '#src/core/money/decimal.ts'
import { exposureOf } from '#src/fleet/exposure.ts'
import type { MemberReport } from '#src/fleet/member-report.ts'
import { isAlive, type RosterRow } from '#src/fleet/roster.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { spanText } from '#src/cli/words/text.ts'

/** A table for a terminal or a page: the names of its columns, and its rows. */
export type FleetTable = { header: string[]; rows: string[][] }

type StrategyReport = MemberReport['strategies'][number]

/** Accounts, strategies and exposure; a table without rows is left out. */
export function fleetTables(roster: readonly RosterRow[]): FleetTable[] {
  return [accountsTable(roster), strategiesTable(roster), exposureTable(roster)].filter(
    ({ rows }) => rows.length > 0,
  )
}

function accountsTable(roster: readonly RosterRow[]): FleetTable {
  return {
    header: ['ACCOUNT', 'PROCESS', 'STATE', 'STANDBYS', 'EQUITY', 'VERSION', 'EPOCH', 'RECORDS'],
    rows: roster.map((row) => [
      printable(row.account),
      printable(row.holder),
      stateText(row),
      String(row.standbys),
      row.report?.equity ? moneyText(row.report.equity) : '',
      row.report?.version ?? '',
      String(row.epoch),
      String(row.records),
    ]),
  }
}

/** What an operator should know first. */
function stateText(row: RosterRow): string {
  const { holds, ms, silentMs, report } = row
  if (!holds) return `does not trade, for ${secondsText(ms)}`
  if (!isAlive(row)) return `does not report${silentMs === null ? '' : `, for ${secondsText(silentMs)}`}`
  if (report === null) return 'starts, or has another version'
  const { stopped, drift, lost } = report
  if (lost !== null) return `the account is not read: ${printable(lost)}`
  if (drift !== null) return `bot and venue disagree: ${printable(drift)}`
  return stopped === null ? 'trades' : `stopped: ${printable(stopped)}`
}

function secondsText(ms: number): string {
  return spanText(Math.max(1000, ms))
}

function strategiesTable(roster: readonly RosterRow[]): FleetTable {
  return {
    header: ['STRATEGY', 'STATE', 'RESULT', 'ORDERS', 'POSITION', 'TEXT', 'ACCOUNT'],
    rows: roster.flatMap(({ account, report }) =>
      (report?.strategies ?? []).map((each) => [
        printable(each.name),
        strategyStateText(each),
        moneyText(each.result),
        String(each.orders),
        positionsText(each),
        each.text.slice(0, 8),
        printable(account),
      ]),
    ),
  }
}

function strategyStateText({ running, halted, paused, flattening }: StrategyReport): string {
  if (!running) return 'does not run'
  if (flattening === 'closing') return 'closes its positions'
  if (halted !== null) return `halted: ${printable(halted)}`
  return paused ? 'paused' : 'trades'
}

export function positionsText({ holdings }: Pick<StrategyReport, 'holdings'>): string {
  const held = holdings.filter(({ position }) => position !== '0')
  return held.length === 0
    ? 'none'
    : held.map(({ market, position }) => `${printable(market)} ${position}`).join(', ')
}

function exposureTable(roster: readonly RosterRow[]): FleetTable {
  return {
    header: ['MARKET', 'ACCOUNTS', 'NET', 'GROSS'],
    rows: exposureOf(roster).map(({ market, accounts, net, gross }) => [
      printable(market),
      String(accounts),
      moneyOrUnknown(net),
      moneyOrUnknown(gross),
    ]),
  }
}

function moneyOrUnknown(value: string | null): string {
  return value === null ? 'unknown' : moneyText(value)
}
