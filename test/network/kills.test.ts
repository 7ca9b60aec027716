import { expect, test } from 'vitest'
import { chanceOf } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { startBotAndExchange } from './bot-and-exchange.ts'
import { realTime } from '#test/support/real-time.ts'

const kills = times(3, 100, 2)
const livesPerLook = 10

test(`after ${kills} kills of bot and exchange at any moment, both agree about the account (seed ${seed})`, async () => {
  const about = await startBotAndExchange()
  try {
    const chance = chanceOf(seed)
    for (let kill = 1; kill <= kills; kill++) {
      // The first moments of a process matter as much as its work.
      await realTime(chance.below(chance.percent(30) ? 500 : 2500))
      // In the short run, the second kill is one of the exchange.
      if (kill % 3 === 2) await about.killExchange()
      else await about.killBot()
      if (kill % livesPerLook === 0) await about.agree()
    }
    await about.agree()
    about.bot.kill('SIGTERM')
    expect(await about.bot.ended, about.bot.stderr()).toEqual({ code: 0, signal: null })
    expect(about.bot.lines.at(-1)).toMatchObject({ type: 'summary', agrees: true, doubtful: 0 })
  } finally {
    await about.close()
  }
}, 3_600_000)
