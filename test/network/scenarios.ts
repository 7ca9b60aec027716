import type { BotAndExchange } from './bot-and-exchange.ts'
import { bulk, callScenarios, unknown } from './call-scenarios.ts'
import type { NetworkScenario } from './scenario.ts'
import { realTime } from '#test/support/real-time.ts'

const handshake = { call: '/ws' }
const quote = { frame: 'bookTicker_update' }

/** Bulks go on: so many more are sent. */
async function bulks({ bot }: BotAndExchange, count: number): Promise<void> {
  const from = bot.lines.length
  await bot.said(() => bot.lines.slice(from).filter(({ type }) => type === 'bulk-sent').length >= count)
}

/** Faults of connections and of the exchange. */
const outages: NetworkScenario[] = [
  {
    name: 'the line passes two kilobytes a second',
    meanwhile: async (about) => {
      about.proxy.weather = () => ({
        request: { chunk: 100, everyMs: 50 },
        answer: { chunk: 100, everyMs: 50 },
      })
      await bulks(about, 2)
    },
  },
  {
    name: 'each call is late by up to half a second',
    meanwhile: async (about) => {
      let turn = 0
      about.proxy.weather = () => ({ request: { delayMs: ((turn += 1) * 137) % 500 } })
      await bulks(about, 5)
    },
    never: ['order-unknown'],
  },
  {
    name: 'nothing listens for three seconds',
    meanwhile: async ({ proxy }) => {
      await proxy.refuse()
      await realTime(3000)
      await proxy.open()
    },
    told: ['stream-lost', 'stream-connected'],
  },
  {
    name: 'connections are accepted and reset',
    on: 'connection',
    times: 5,
    fault: { ends: 'reset' },
    meanwhile: ({ proxy }) => Promise.resolve(proxy.cut()),
    usual: true,
  },
  {
    name: 'connections are accepted and never answered',
    on: 'connection',
    times: 2,
    fault: { ends: 'silence' },
    meanwhile: ({ proxy }) => Promise.resolve(proxy.cut()),
  },
  {
    name: 'all peers vanish without a FIN',
    meanwhile: async ({ proxy }) => {
      proxy.cut('silence')
      await realTime(12_000)
    },
  },
  {
    name: 'the exchange is killed when half of a bulk has arrived',
    on: bulk,
    fault: (about) => ({ request: { cutAt: 'body' }, ends: 'reset', onSent: () => about.killExchange() }),
    told: unknown,
  },
  {
    name: 'the exchange is killed when a whole bulk has arrived',
    on: bulk,
    fault: (about) => ({ onSent: () => about.killExchange() }),
    usual: true,
  },
  {
    name: 'the exchange is killed when it has answered, and nobody hears the answer',
    on: bulk,
    fault: (about) => ({ onAnswered: () => about.killExchange() }),
    told: unknown,
  },
  {
    name: 'the exchange stands still for twelve seconds',
    on: bulk,
    fault: (about) => ({
      onSent: async () => {
        about.exchange.signal('SIGSTOP')
        await realTime(12_000)
        about.exchange.signal('SIGCONT')
      },
    }),
  },
]

/** Faults of the stream. */
const streams: NetworkScenario[] = [
  {
    name: 'a stream is cut in the middle of a frame',
    on: quote,
    fault: { answer: { cutAt: 20 }, ends: 'reset' },
    told: ['stream-lost', 'stream-connected'],
    usual: true,
  },
  {
    name: 'a stream closes without a closing frame',
    on: quote,
    fault: { ends: 'close' },
    told: ['stream-lost', 'stream-connected'],
  },
  {
    name: 'frames arrive byte by byte',
    on: quote,
    times: 10,
    fault: { answer: { chunk: 1 } },
    never: ['stream-lost'],
  },
  { name: 'a frame arrives twice', on: quote, times: 3, fault: { twice: 'first' } },
  { name: 'a frame is lost', on: quote, fault: { answer: { cutAt: 0 } } },
  {
    name: 'the head of a frame is corrupted',
    on: quote,
    fault: { answer: { corruptAt: 0 } },
    told: ['stream-lost', 'stream-connected'],
  },
  {
    name: 'the text of a frame is corrupted',
    on: quote,
    fault: { answer: { corruptAt: 'body' } },
    told: ['stream-lost', 'stream-connected'],
  },
  { name: 'a stream falls silent', on: quote, fault: { ends: 'silence' }, told: ['stream-lost'] },
  {
    name: 'the handshake of a stream is cut three times',
    on: handshake,
    times: 3,
    fault: { answer: { cutAt: 'headers' }, ends: 'reset' },
    meanwhile: ({ proxy }) => proxy.plan(quote, { ends: 'reset' }),
    told: ['stream-lost', 'stream-connected'],
  },
]

export const plainScenarios: readonly NetworkScenario[] = [...callScenarios, ...outages, ...streams]

/** Faults below HTTPS. Each of them ends all connections, so that the bot has to connect anew. */
export const tlsScenarios: readonly (NetworkScenario & {
  certificate?: 'expired' | 'of another host' | 'unknown'
})[] = [
  {
    name: 'TLS: the handshake is cut',
    on: 'handshake',
    times: 3,
    fault: { answer: { cutAt: 200 }, ends: 'reset' },
    usual: true,
  },
  {
    name: 'TLS: the handshake is never answered',
    on: 'handshake',
    fault: { answer: { cutAt: 0 }, ends: 'silence' },
  },
  {
    name: 'TLS: plain text in place of the handshake',
    on: 'handshake',
    times: 3,
    fault: { plain: 'HTTP/1.1 400 Bad Request\r\n\r\n' },
  },
  {
    name: 'TLS: a byte of an encrypted answer is corrupted',
    on: 'handshake',
    times: 2,
    fault: { answer: { corruptAt: 2500 } },
  },
  {
    name: 'TLS: an encrypted answer is cut',
    on: bulk,
    fault: { answer: { cutAt: 'body' }, ends: 'reset' },
    told: unknown,
  },
  { name: 'TLS: the certificate is unknown', certificate: 'unknown' },
  { name: 'TLS: the certificate has expired', certificate: 'expired', usual: true },
  { name: 'TLS: the certificate is of another host', certificate: 'of another host' },
]
