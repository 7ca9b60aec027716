import { z } from 'zod'
import { closings } from '#src/venues/whitebit/contract/streams/streams.ts'
import { accountOfToken } from '#src/exchange/http/stream-tokens.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'
import { invalid, method, success, type Channel } from './channel.ts'

/** Ping, time and authorization. */
export function serviceChannel({ state }: VenueContext): Channel {
  return {
    methods: {
      ping: method(z.array(z.unknown()), () => ({ json: '"pong"' })),
      time: method(z.array(z.unknown()), ({ now }) => ({ json: String(Math.floor(now / 1000)) })),
      authorize: method(z.tuple([z.string(), z.string()]), ({ reader, now }, [token]) => {
        if (token === '') return { closing: closings.tokenEmpty }
        const account = state.accounts.get(accountOfToken(state, token, now) ?? '')
        if (account === undefined || reader.account !== undefined) return invalid
        reader.account = account
        return { json: success }
      }),
    },
    leave() {},
  }
}
