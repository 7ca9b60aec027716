import { readFileSync, writeFileSync } from 'node:fs'

/** The packaged market maker, so close to the price that it fills within seconds: a simulated price need not come to it. */
export function closeMaker(folder: { file(name: string): string }): string {
  // Its tests expect the packaged distances.
  const [text = ''] = readFileSync('strategies/05-market-making.yaml', 'utf8').split('\ntests:')
  const spacing = 'first: 0.07%, step: 0.04%'
  if (!text.includes(spacing)) throw new Error('the market maker has other distances')
  const path = folder.file('close-maker.yaml')
  writeFileSync(path, text.replaceAll(spacing, 'first: 0.01%, step: 0.02%'))
  return path
}
