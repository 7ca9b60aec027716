import { writeFileSync } from 'node:fs'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { startFaultyVenue, type FaultyVenue } from '#test/support/faulty-venue.ts'
import { worldWith } from '#test/support/world.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { startBot, type StartedBot } from './bot-process.ts'
import { closeMaker } from './close-maker.ts'

/** Runs a bot process that makes markets at an exchange whose answers the test changes on the wire. */
export async function tradingAtFaultyVenue(
  story: (bot: StartedBot, stateDir: string, venue: FaultyVenue) => Promise<void>,
  options: { change?: (venue: FaultyVenue) => void; flags?: readonly string[] } = {},
): Promise<void> {
  const { change = () => {}, flags = [] } = options
  using folder = temporaryFolder()
  const venue = await startFaultyVenue({
    world: worldWith(),
    clock: systemClock,
    profile: 'full',
    seed: 'run',
    speed: 60,
    sources: { seeded: true },
  })
  try {
    change(venue)
    const [file, stateDir] = [folder.file('venue.yaml'), folder.file('state')]
    const lines = ['clientIds: forever', 'settle: 0s', 'key: paper-key', 'secret: paper-secret']
    writeFileSync(file, [`url: ${venue.url}`, ...lines].join('\n'))
    const words = [closeMaker(folder), '--venue', file, '--speed', '60']
    await using bot = startBot([...words, '--state-dir', stateDir, ...flags])
    await story(bot, stateDir, venue)
  } finally {
    await venue.close()
  }
}
