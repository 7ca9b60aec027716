import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rulesOfWorld } from '#src/cli/files/world-rules.ts'
import { packagedWorld } from '#src/cli/files/packaged-world.ts'
import { Decimal } from '#src/core/money/decimal.ts'

const unit = (digits: number) => new Decimal(10).pow(-digits).toFixed()
const percent = (ratio: Decimal) => `${ratio.times(100).toFixed()} %`

test('the table of markets shows the rules of the default world', () => {
  const page = readFileSync('docs/exchange.md', 'utf8')
  const rows = [...rulesOfWorld(packagedWorld, 'full').markets].map(([name, rules]) => {
    const [base = '', other = ''] = name.split('_')
    const least = `${rules.minAmount.toFixed()} ${base} and ${rules.minTotal.toFixed()} USDT`
    const fees = [percent(rules.makerFee), percent(rules.takerFee)]
    const kind = other === 'PERP' ? 'futures' : 'spot'
    return `| \`${name}\` | ${[kind, unit(rules.priceDigits), unit(rules.amountDigits), least, ...fees].join(' | ')} |`
  })
  expect(rows.length).toBeGreaterThan(3)
  expect(page).toContain(`\n${rows.join('\n')}\n\n`)
})
