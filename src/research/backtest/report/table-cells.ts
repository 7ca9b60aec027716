import { html } from 'hono/html'
import { Decimal } from '#src/core/money/decimal.ts'
import { moneyFigure, type Figure } from '#src/research/backtest/result/figures.ts'

/** Digits grouped in threes for people; the number itself is beside it, for programs. */
export function number({ text, exact }: Figure, tone = '') {
  return html`<data class="${tone}" value="${exact ?? ''}">${grouped(text)}</data>`
}

/** A profit or a loss, in the colour of its sign. */
export function money(exact: string) {
  return number(moneyFigure(exact), toneOf(exact))
}

/** Groups the whole part of each number. */
export function grouped(text: string): string {
  return text.replaceAll(/(?<![\d.])\d+/g, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '\u202f'))
}

export function toneOf(exact: string): string {
  const value = new Decimal(exact)
  if (value.isZero()) return 'muted'
  return value.gt(0) ? 'gain' : 'loss'
}
