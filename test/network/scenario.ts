import type { BotAndExchange } from './bot-and-exchange.ts'
import type { TcpFault, Target } from './fault-proxy.ts'

/** Event names of the log, in any order, after the faults have begun. */
type Told = readonly string[]

export type NetworkScenario = {
  name: string
  /** The call, frame or connection that meets the fault, and how often. */
  on?: Target
  times?: number
  fault?: TcpFault | ((about: BotAndExchange) => TcpFault)
  /** What else happens, when the fault is planned. */
  meanwhile?: (about: BotAndExchange) => Promise<unknown>
  /** What the bot must log because of it, and what it must not. */
  told?: Told
  never?: Told
  /** Also in the short run. */
  usual?: true
}
