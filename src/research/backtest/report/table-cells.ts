import { html } from 'hono/html'
import { Decimal } from '#src/core/money/decimal.ts'
import { moneyFigure, type Figure } from '#src/research/backtest/result/figures.ts'

const barWidth = 36

/** Digits grouped in threes for people; the number itself is beside it, for programs. */
export function number({ text, exact }: Figure, tone = '') {
  return html`<data class="${tone}" value="${exact ?? ''}">${grouped(text)}</data>`
}

/** A profit or a loss, in the colour of its sign. */
export function money(exact: string) {
  return number(moneyFigure(exact), toneOf(exact))
}

/** A profit as a bar to the right of the middle, a loss to the left; the largest one has the share 1. */
export function bar(share: number) {
  const width = Math.abs(share) * barWidth
  const x = share < 0 ? barWidth - width : barWidth
  return html`<svg viewBox="0 0 72 10" aria-hidden="true">
    <rect class="zero" x="${barWidth - 0.5}" y="0" width="1" height="10" />
    <rect
      class="${share < 0 ? 'loss' : 'gain'}"
      x="${x.toFixed(1)}"
      y="1"
      width="${width.toFixed(1)}"
      height="8"
      rx="1"
    />
  </svg>`
}

/** Groups the whole part of each number; a year in a date is none. */
export function grouped(text: string): string {
  return text.replaceAll(/(?<![\d.])\d+(?![\d-])/g, (whole) =>
    whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '\u202f'),
  )
}

export function toneOf(exact: string): string {
  const value = new Decimal(exact)
  if (value.isZero()) return 'muted'
  return value.gt(0) ? 'gain' : 'loss'
}
