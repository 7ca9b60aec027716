import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { WorldChange } from './world.ts'

/** Ten times the packaged volatility: a simulated price reaches orders within seconds, where it would need minutes. */
const percentADay: Readonly<Record<string, string>> = { BTC: '28', ETH: '36', SOL: '46' }

export const volatileAssets: WorldChange = Object.fromEntries(
  Object.entries(percentADay).map(([asset, volatility]) => [asset, { volatility }]),
)

/** The packaged world with these markets, as a file. */
export function volatileWorld(folder: { file(name: string): string }): string {
  const packaged = fileURLToPath(new URL('../../config/exchange.yaml', import.meta.url))
  const values = Object.values(percentADay)
  const text = readFileSync(packaged, 'utf8').replaceAll(
    /(?<=^ {4}volatility: )[\d.]+/gm,
    () => values.shift() ?? '',
  )
  if (values.length > 0) throw new Error('the packaged world has fewer volatilities')
  const path = folder.file('world.yaml')
  writeFileSync(path, text)
  return path
}
