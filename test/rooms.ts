/** The rooms of the house, and whom each may ask for something. A room that is not here does not exist. */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  time: ['errors'],
  disk: [],
  money: ['errors'],
  contract: ['errors', 'money'],
  client: ['errors', 'time', 'disk', 'money', 'contract'],
  exchange: ['errors', 'time', 'disk', 'money', 'contract'],
  settings: ['errors', 'money', 'contract'],
  ladder: ['errors', 'money'],
  indicators: ['errors'],
  strategy: ['errors', 'money', 'contract', 'settings', 'ladder', 'indicators'],
  draft: ['money', 'settings', 'ladder'],
  logs: ['errors', 'time', 'disk', 'contract'],
  engine: ['errors', 'money', 'ladder', 'indicators', 'strategy', 'logs'],
  journal: ['errors', 'disk', 'engine'],
  bot: ['errors', 'time', 'money', 'contract', 'client', 'strategy', 'engine', 'journal', 'logs'],
  desk: [
    'errors',
    'time',
    'disk',
    'money',
    'contract',
    'client',
    'settings',
    'strategy',
    'engine',
    'journal',
    'bot',
    'logs',
  ],
  metrics: ['logs', 'bot', 'desk'],
  alerts: [
    'errors',
    'time',
    'money',
    'contract',
    'client',
    'settings',
    'strategy',
    'engine',
    'bot',
    'logs',
    'desk',
    'terminal',
  ],
  market: ['errors', 'disk', 'money', 'contract'],
  backtest: [
    'errors',
    'time',
    'money',
    'contract',
    'client',
    'exchange',
    'settings',
    'strategy',
    'engine',
    'bot',
    'logs',
    'market',
  ],
  recording: ['errors', 'time', 'disk', 'contract', 'client', 'bot'],
  sweep: ['errors', 'disk', 'money', 'settings', 'strategy', 'market', 'backtest'],
  terminal: ['money', 'desk'],
  cli: [
    'errors',
    'time',
    'disk',
    'money',
    'contract',
    'client',
    'exchange',
    'settings',
    'ladder',
    'strategy',
    'draft',
    'engine',
    'journal',
    'bot',
    'logs',
    'desk',
    'metrics',
    'alerts',
    'market',
    'backtest',
    'recording',
    'sweep',
    'terminal',
  ],
  main: ['cli'],
  index: ['errors', 'time', 'contract', 'client'],
}

/** No files, no network, no clock, no dice, no promises, no timers, no console. */
export const pureRooms = new Set([
  'errors',
  'money',
  'contract',
  'exchange',
  'ladder',
  'indicators',
  'strategy',
  'draft',
  'engine',
  'terminal',
])
/** Where the exchange touches the world: its sockets, its disk, the delivery of its webhooks. */
const shellNames = ['server', 'listener', 'bad-line', 'admin', 'store', 'webhook-sender', 'streams/sockets']
export const shells = new Set(shellNames.map((name) => `src/exchange/${name}.ts`))
/** What pure files may import from outside: schemas, exact numbers, hashes, texts taken apart. A hash is a function. */
export const pureModules = new Set([
  'zod',
  'decimal.js',
  'node:crypto',
  'node:assert',
  'yaml',
  '@marcbachmann/cel-js',
])
export const impure = [
  /\b(?:async|await|Promise|setTimeout|setInterval|setImmediate|queueMicrotask|console|process|fetch)\b/,
  /\b(?:Date\.now|performance\.now|new Date\b|Temporal\.Now|Math\.random)/,
  /\b(?:randomBytes|randomUUID|randomInt|getRandomValues)\b/,
]

export const modeRooms = new Set(['cli', 'settings', 'main', 'backtest'])
/** A word that means something else where it stands: an id that is used while its order lives. */
export const notModes: Readonly<Record<string, readonly string[]>> = {
  live: ['src/contract/switches.ts', 'src/exchange/trading/resting.ts'],
}
/** Finished, tested, and waiting for the room that will call them. */
export const waiting = new Set<string>([])
