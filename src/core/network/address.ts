import { isLoopback } from './loopback.ts'

/** What is wrong with the base address of a venue, or undefined. Plain http is for loopback addresses only. */
export function addressMistake(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be an address such as https://venue.example'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https://'
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password'
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return 'must end after host and port'
  if (url.protocol === 'http:' && !isLoopback(text))
    return 'must start with https:// unless it is on this machine'
  return undefined
}

/** What is wrong with the address of the streams of a venue, or undefined. */
export function streamAddressMistake(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be an address such as wss://venue.example/ws'
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'wss:' && protocol !== 'ws:') return 'must start with wss://'
  if (username !== '' || password !== '') return 'must not contain a user or a password'
  if (protocol === 'ws:' && !isLoopback(text)) return 'must start with wss:// unless it is on this machine'
  return undefined
}
