import { expect, test } from 'vitest'
import { RunOutput } from '#src/cli/run-output.ts'
import { lastLines } from '#src/desk/last-lines.ts'
import type { BotEvent } from '#src/logs/events.ts'
import { Log } from '#src/logs/log.ts'
import { systemClock } from '#src/time/clock.ts'
import { temporaryFolder } from './process.ts'

test('whoever fails to listen holds up nobody, and the log says so', () => {
  using folder = temporaryFolder()
  const log = new Log({ stateDir: folder.path, clock: systemClock, secrets: [], onLost: () => {} })
  const output = new RunOutput(log, 'nothing')
  const heard: BotEvent[] = []
  output.listen(() => {
    throw new Error('deaf')
  })
  output.listen((events) => heard.push(...events))
  const event: BotEvent = { type: 'alert', at: 7, message: 'fire' }
  output.take([event])
  output.close()
  expect(heard).toEqual([event])
  expect(lastLines(folder.path).map((line): unknown => JSON.parse(line))).toMatchObject([
    event,
    { type: 'error', at: 7, message: 'deaf' },
  ])
})
