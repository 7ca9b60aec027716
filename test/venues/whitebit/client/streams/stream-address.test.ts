import { expect, test } from 'vitest'
import { Stream } from '#src/venues/whitebit/client/streams/stream.ts'

test.each(['http://127.0.0.1/ws', 'ws://example.com/ws', 'wss://me:secret@example.com/ws', 'nowhere'])(
  'an address that is no place for a stream is refused: %s',
  (url) => {
    expect(() => new Stream({ url, wanted: [], onEvent() {} })).toThrow(/address of the stream/)
  },
)
