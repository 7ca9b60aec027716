import { once } from 'node:events'
import { WebSocket } from 'ws'
import { z } from 'zod'

const reply = z.object({ error: z.unknown(), result: z.unknown(), id: z.int().nullable() })
const update = z.object({ method: z.string(), params: z.unknown(), id: z.null() })

export type StreamReader = Awaited<ReturnType<typeof readStream>>

/** One connection to a stream, without the client that is under test: it asks, and keeps what comes. */
export async function readStream(url: string) {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  const updates: { method: string; params: unknown }[] = []
  const replies: z.output<typeof reply>[] = []
  const waiting = new Set<() => void>()
  const closed = once(socket, 'close').then(([code, reason]) => ({
    code: Number(code),
    reason: String(reason),
  }))
  let ids = 1000
  socket.on('message', (data: Buffer) => {
    const frame: unknown = JSON.parse(data.toString())
    const told = update.safeParse(frame)
    if (told.success) updates.push({ method: told.data.method, params: told.data.params })
    else replies.push(reply.parse(frame))
    for (const look of waiting) look()
  })
  await once(socket, 'open')

  /** Settles with the first thing that `find` gives, now or later. */
  function until<Found>(find: () => Found | undefined): Promise<Found> {
    return new Promise((resolve) => {
      const look = () => {
        const found = find()
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  }

  async function ask(method: string, ...params: unknown[]) {
    const id = ++ids
    socket.send(JSON.stringify({ id, method, params }))
    const { error, result } = await until(() => replies.find((each) => each.id === id))
    return error === null ? result : { error }
  }

  return {
    socket,
    closed,
    ask,
    /** Sends any text, and gives the next reply. */
    async say(text: string) {
      const place = replies.length
      socket.send(text)
      return until(() => replies[place])
    },
    /** Updates that nobody has taken yet, once there are so many of the method. */
    async take(method: string, count = 1): Promise<unknown[]> {
      const mine = () => updates.filter((each) => each.method === `${method}_update`)
      await until(() => (mine().length >= count ? true : undefined))
      const taken = mine().slice(0, count)
      for (const each of taken) updates.splice(updates.indexOf(each), 1)
      return taken.map(({ params }) => params)
    },
    /** All that have come before an answer to a question that is asked now. */
    async rest(method: string): Promise<unknown[]> {
      await ask('ping')
      const mine = updates.filter((each) => each.method === `${method}_update`)
      for (const each of mine) updates.splice(updates.indexOf(each), 1)
      return mine.map(({ params }) => params)
    },
    async close() {
      socket.close()
      await closed
    },
  }
}
