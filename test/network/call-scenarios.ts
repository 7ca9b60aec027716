import type { NetworkScenario } from './scenario.ts'

export const bulk = { call: '/api/v4/order/collateral/bulk' }
const cancel = { call: '/api/v4/order/cancel' }
const openOrders = { call: '/api/v4/orders' }
const history = { call: '/api/v4/trade-account/order/history' }
const balance = { call: '/api/v4/trade-account/balance' }
export const unknown = ['order-unknown', 'order-resolved']

/** Faults on one call of the bot, on plain HTTP. */
export const callScenarios: readonly NetworkScenario[] = [
  {
    name: 'a bulk is delayed by two seconds',
    on: bulk,
    fault: { request: { delayMs: 2000 } },
    never: ['order-unknown'],
  },
  {
    name: 'a bulk arrives byte by byte',
    on: bulk,
    times: 3,
    fault: { request: { chunk: 1 } },
    never: ['order-unknown'],
  },
  {
    name: 'a bulk is reset before its first byte',
    on: bulk,
    fault: { endsBefore: 'reset', request: { cutAt: 0 } },
    told: unknown,
  },
  {
    name: 'a bulk is cut after its first byte',
    on: bulk,
    fault: { request: { cutAt: 1 }, ends: 'reset' },
    told: unknown,
  },
  {
    name: 'a bulk is cut in its headers',
    on: bulk,
    fault: { request: { cutAt: 'headers' }, ends: 'close' },
    told: unknown,
  },
  {
    name: 'a bulk is cut in its body',
    on: bulk,
    fault: { request: { cutAt: 'body' }, ends: 'reset' },
    told: unknown,
    usual: true,
  },
  {
    name: 'a bulk stops before its last byte',
    on: bulk,
    fault: { request: { cutAt: -1 }, ends: 'silence' },
    told: unknown,
  },
  { name: 'a byte of a bulk is corrupted', on: bulk, fault: { request: { corruptAt: 'body' } } },
  {
    name: 'a bulk is accepted by nobody',
    on: bulk,
    fault: { request: { cutAt: 0 }, ends: 'silence' },
    told: unknown,
  },
  {
    name: 'a bulk arrives after the bot has given up',
    on: bulk,
    fault: { request: { delayMs: 11_000 } },
    told: unknown,
  },
  {
    name: 'a bulk arrives two seconds after its connection was reset',
    on: bulk,
    fault: { endsBefore: 'reset', request: { delayMs: 2000 } },
    told: ['order-unknown'],
    usual: true,
  },
  { name: 'a bulk arrives twice', on: bulk, times: 3, fault: { twice: 'first' }, usual: true },
  { name: 'a bulk arrives twice, and the second answer counts', on: bulk, fault: { twice: 'second' } },
  {
    name: 'an answer is delayed by three seconds',
    on: bulk,
    fault: { answer: { delayMs: 3000 } },
    never: ['order-unknown'],
  },
  {
    name: 'an answer arrives byte by byte',
    on: bulk,
    times: 3,
    fault: { answer: { chunk: 1 } },
    never: ['order-unknown'],
  },
  {
    name: 'an answer is reset before its first byte',
    on: bulk,
    fault: { answer: { cutAt: 0 }, ends: 'reset' },
    told: unknown,
    usual: true,
  },
  {
    name: 'an answer is swallowed, and the connection closed',
    on: bulk,
    fault: { answer: { cutAt: 0 }, ends: 'close' },
    told: unknown,
  },
  {
    name: 'an answer is cut after its first byte',
    on: bulk,
    fault: { answer: { cutAt: 1 }, ends: 'close' },
    told: unknown,
  },
  {
    name: 'an answer is cut in its headers',
    on: bulk,
    fault: { answer: { cutAt: 'headers' }, ends: 'reset' },
    told: unknown,
  },
  {
    name: 'an answer is cut in its body',
    on: bulk,
    fault: { answer: { cutAt: 'body' }, ends: 'close' },
    told: unknown,
    usual: true,
  },
  {
    name: 'an answer stops before its last byte',
    on: bulk,
    fault: { answer: { cutAt: -1 }, ends: 'silence' },
    told: unknown,
  },
  {
    name: 'an answer is swallowed in silence',
    on: bulk,
    fault: { answer: { cutAt: 0 }, ends: 'silence' },
    told: unknown,
  },
  {
    name: 'the status line of an answer is corrupted',
    on: bulk,
    fault: { answer: { corruptAt: 3 } },
    told: unknown,
  },
  {
    name: 'the body of an answer is corrupted',
    on: bulk,
    fault: { answer: { corruptAt: 'body' } },
    told: unknown,
  },
  {
    name: 'a connection closes after each answer',
    on: bulk,
    times: 3,
    fault: { ends: 'close' },
    never: ['order-unknown'],
  },
  {
    name: 'a connection that was kept alive closes as the next bulk arrives',
    on: bulk,
    times: 2,
    fault: { endsBefore: 'close', request: { cutAt: 0 } },
    told: unknown,
  },
  {
    name: 'the answer to a cancel is lost',
    on: cancel,
    fault: { answer: { cutAt: 0 }, ends: 'reset' },
    usual: true,
  },
  { name: 'a cancel is lost', on: cancel, fault: { request: { cutAt: 'body' }, ends: 'reset' } },
  {
    name: 'a cancel arrives three seconds after its connection was reset',
    on: cancel,
    fault: { endsBefore: 'reset', request: { delayMs: 3000 } },
  },
  {
    name: 'lists of open orders are cut',
    on: openOrders,
    times: 4,
    fault: { answer: { cutAt: 'body' }, ends: 'close' },
  },
  {
    name: 'lists of finished orders are corrupted',
    on: history,
    times: 4,
    fault: { answer: { corruptAt: 'body' } },
  },
  {
    name: 'a bulk is lost, and so are the lists that would tell',
    on: bulk,
    fault: { answer: { cutAt: 0 }, ends: 'reset' },
    meanwhile: ({ proxy }) =>
      Promise.all(
        [openOrders, history, balance].map((call) =>
          proxy.plan(call, { answer: { cutAt: 1 }, ends: 'reset' }, 2),
        ),
      ),
    told: unknown,
  },
]
