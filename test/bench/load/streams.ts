/**
 * A thousand readers of one book that changes a thousand times a second: what it costs, and whether memory stays flat.
 *
 *   node test/bench/load/streams.ts        ten minutes
 *   node test/bench/load/streams.ts 60     as many seconds as are named
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import { z } from 'zod'

const readers = 1000
const seconds = Number(process.argv[2] ?? 600)
const looks = 20
const report = z.object({ rss: z.number(), heapUsed: z.number(), cpuMs: z.number(), updateId: z.number() })

const server = fork(fileURLToPath(new URL('../processes/streams-server.ts', import.meta.url)), {
  execArgv: ['--expose-gc'],
})
const [url] = await once(server, 'message')
let frames = 0
let bytes = 0
let breaks = 0
const sockets = await Promise.all(Array.from({ length: readers }, () => listen(String(url))))

const pings = setInterval(() => {
  for (const socket of sockets) socket.send('{"id":2,"method":"ping","params":[]}')
}, 30_000)
say('seconds   rss MB  heap MB  changes/s  frames/s   MB/s  cpu %')
let before = await look()
const [first] = [before]
for (let turn = 1; turn <= looks; turn++) {
  const since = { frames, bytes, at: performance.now() }
  await sleep((seconds * 1000) / looks)
  const now = await look()
  const passed = (performance.now() - since.at) / 1000
  const columns = [
    ((turn * seconds) / looks).toFixed(0).padStart(7),
    (now.rss / 1e6).toFixed(1).padStart(8),
    (now.heapUsed / 1e6).toFixed(1).padStart(8),
    ((now.updateId - before.updateId) / passed).toFixed(0).padStart(10),
    ((frames - since.frames) / passed).toFixed(0).padStart(9),
    ((bytes - since.bytes) / passed / 1e6).toFixed(1).padStart(6),
    ((now.cpuMs - before.cpuMs) / passed / 10).toFixed(0).padStart(6),
  ]
  say(columns.join(' '))
  before = now
}
clearInterval(pings)
const closed = sockets.filter(({ readyState }) => readyState !== WebSocket.OPEN).length
say(`frames out of order: ${breaks}, connections lost: ${closed}`)
say(
  `heap after ${seconds} s: ${((100 * before.heapUsed) / first.heapUsed).toFixed(1)} % of what it began with`,
)
for (const socket of sockets) socket.terminate()
server.disconnect()

async function look() {
  server.send('look')
  const [message] = await once(server, 'message')
  return report.parse(message)
}

async function listen(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  await once(socket, 'open')
  let updateId = 0
  socket.on('message', (data: Buffer) => {
    const text = data.toString('latin1')
    if (!text.includes('"depth_update"')) return
    const past = /"past_update_id":(\d+)/.exec(text)?.[1]
    if (past !== undefined && Number(past) !== updateId) breaks += 1
    updateId = Number(/"update_id":(\d+)/.exec(text)?.[1])
    frames += 1
    bytes += data.length
  })
  socket.send('{"id":1,"method":"depth_subscribe","params":["SOL_PERP",100,"0"]}')
  return socket
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
