import { expect, test } from 'vitest'
import { nonceFix } from '#src/venues/whitebit/client/answers/outcome.ts'
import { Stream } from '#src/venues/whitebit/client/streams/stream.ts'
import { openVenue } from '#test/support/venue.ts'

test('a stream gets its token while orders leave without a pause', async () => {
  const venue = await openVenue('socket', { profile: 'full' })
  const over = new AbortController()
  const trading = [1, 2, 3].map(async () => {
    for (let count = 0; !over.signal.aborted && count < 50; count++) {
      const orders = [{ market: 'SOL_PERP', side: 'buy' as const, price: '100', amount: '1', ioc: true }]
      await venue.paper.collateralBulk({ orders })
    }
  })
  const connected = Promise.withResolvers<void>()
  const stream = new Stream({
    url: venue.streamUrl,
    wanted: [{ channel: 'ordersPending' }],
    client: venue.paper,
    clock: venue.clock,
    onEvent: ({ kind }) => kind === 'connected' && connected.resolve(),
  })
  await connected.promise
  over.abort()
  await Promise.all([...trading, stream.close()])
  await venue.close()
  const paths = venue.exchanged.map(({ path }) => path)
  expect(paths.findIndex((path) => path.endsWith('websocket_token'))).toBeLessThan(3)
})

test('a stream that gets no token says why, and what to do', async () => {
  const venue = await openVenue('socket', { profile: 'full' })
  const refused = {
    kind: 'refused',
    status: 422,
    code: 1,
    message: 'Too many requests.',
    errors: {},
    throttle: 'nonce',
  } as const
  const lost = Promise.withResolvers<string>()
  const stream = new Stream({
    url: venue.streamUrl,
    wanted: [{ channel: 'ordersPending' }],
    client: { ...venue.paper, streamToken: async () => refused },
    clock: venue.clock,
    onEvent: (event) => event.kind === 'disconnected' && lost.resolve(event.reason),
  })
  expect(await lost.promise).toBe(
    `No token for the private channels (refused: Too many requests.; ${nonceFix})`,
  )
  await stream.close()
  await venue.close()
})

test('a stream that waits for its token closes at once, and takes the request back if it waits for its turn', async () => {
  const venue = await openVenue('socket', { profile: 'full' })
  const asked = Promise.withResolvers<AbortSignal | undefined>()
  const stream = new Stream({
    url: venue.streamUrl,
    wanted: [{ channel: 'ordersPending' }],
    client: {
      ...venue.paper,
      streamToken(_, options) {
        asked.resolve(options?.signal)
        return Promise.withResolvers<never>().promise
      },
    },
    clock: venue.clock,
    onEvent: ({ kind }) => expect.unreachable(kind),
  })
  const signal = await asked.promise
  expect(signal?.aborted).toBe(false)
  await stream.close()
  expect(signal?.aborted).toBe(true)
  await venue.close()
})
