type Entry = { sentence: string; fix: string; exit: number }

/** Exit codes follow sysexits.h: a service manager can distinguish "restart" from "needs an operator". */
export const exitCodes = {
  ok: 0,
  failure: 1,
  findings: 2,
  usage: 64,
  data: 65,
  unavailable: 69,
  temporary: 75,
  refused: 77,
  config: 78,
} as const

/** All errors with their remedy and exit code. A test compares the table of exit codes in the documents with it. */
export const catalogue = {
  NUMBER_INVALID: {
    sentence: 'Not an exact decimal number',
    fix: 'Write plain digits such as 0.015, without exponent, sign or separators',
    exit: exitCodes.data,
  },
  FILE_UNREADABLE: {
    sentence: 'The file cannot be read',
    fix: 'Check the path and its permissions',
    exit: exitCodes.config,
  },
  FILE_INVALID: {
    sentence: 'The file is invalid',
    fix: 'Correct the lines named above',
    exit: exitCodes.config,
  },
  MARKET_INVALID: {
    sentence: 'The market file (prices, funding, order books or futures) is invalid',
    fix: 'Correct the line named above',
    exit: exitCodes.data,
  },
  SETTING_INVALID: {
    sentence: 'A setting is invalid',
    fix: 'Correct the value of the flag, key or environment variable named above',
    exit: exitCodes.config,
  },
  KEY_MISSING: {
    sentence: 'A private call needs an API key and its secret',
    fix: 'Set keyFile and secretFile in the venue file, or set the variables RUNGS_KEY_FILE and RUNGS_SECRET_FILE',
    exit: exitCodes.config,
  },
  SECRET_EXPOSED: {
    sentence: 'Other users can read the secret',
    fix: 'Run chmod 600 on the file as the user that runs the bot',
    exit: exitCodes.config,
  },
  FOLDER_EXPOSED: {
    sentence: 'Other users can access the data folder',
    fix: 'Run chmod 700 on the folder as the user that runs the program, or choose another folder',
    exit: exitCodes.config,
  },
  TAPE_INVALID: {
    sentence: 'The tape cannot be read',
    fix: 'Pass a tape of rungs run --record, a HAR file of a browser, or snapshots of undici (Node HTTP client)',
    exit: exitCodes.data,
  },
  TAPE_NOT_WRITTEN: {
    sentence: 'The tape cannot be written',
    fix: 'Choose a new file name in a writable folder. FILE.partial (the unfinished tape) must not exist either',
    exit: exitCodes.config,
  },
  FILE_NOT_WRITTEN: {
    sentence: 'The file cannot be written',
    fix: 'Choose a file in a writable folder',
    exit: exitCodes.config,
  },
  REPORT_NOT_WRITTEN: {
    sentence: 'The report cannot be written',
    fix: 'Choose a file in a writable folder',
    exit: exitCodes.config,
  },
  TAPE_HOLDS_SECRET: {
    sentence: 'The tape contains a secret and was not finished: its file name keeps the ending .partial',
    fix: 'Do not share the file: delete it, and report this bug',
    exit: exitCodes.failure,
  },
  USAGE: {
    sentence: 'The command line is invalid',
    fix: 'See rungs --help',
    exit: exitCodes.usage,
  },
  PORT_TAKEN: {
    sentence: 'The port is in use',
    fix: 'Choose another port, or 0 for a free port',
    exit: exitCodes.unavailable,
  },
  DATA_BUSY: {
    sentence: 'Another process uses this data',
    fix: 'Stop that process, or use another folder: --state-dir for a bot, --data for an exchange',
    exit: exitCodes.temporary,
  },
  FLEET_UNAVAILABLE: {
    sentence: 'The server of the fleet cannot be used',
    fix: 'Check the address of the server, and that it is running',
    exit: exitCodes.unavailable,
  },
  QUEUE_UNAVAILABLE: {
    sentence: 'The server of the queue cannot be used',
    fix: 'Check the address of the server, and that it is running',
    exit: exitCodes.unavailable,
  },
  BACKTEST_FAILED: {
    sentence: 'A backtest of the sweep has no result',
    fix: 'Read what the workers print. The same command continues with the results that are stored',
    exit: exitCodes.failure,
  },
  LEASE_HELD: {
    sentence: 'Another process trades for this account',
    fix: 'Stop it, or start this one with --standby: it takes over when the other one ends',
    exit: exitCodes.temporary,
  },
  LEASE_REFUSED: {
    sentence: 'Each process that trades for this account fails',
    fix: 'Correct what their logs report. Ten minutes after the first failure, a start is possible again',
    exit: exitCodes.temporary,
  },
  LEASE_LOST: {
    sentence: 'This process may no longer trade for its account',
    fix: 'Check the server of the fleet. Start the bot again with --standby',
    exit: exitCodes.temporary,
  },
  DATA_FOREIGN: {
    sentence: 'The stored data was written with other settings, or by another program or version',
    fix: 'Use another folder (--state-dir for a bot, --data for an exchange), or use the settings that created the data',
    exit: exitCodes.data,
  },
  DATA_DAMAGED: {
    sentence: 'The stored data is damaged',
    fix: 'Check the disk, and restore a backup of the data folder',
    exit: exitCodes.data,
  },
  DATA_BROKEN: {
    sentence: 'The data cannot be stored',
    fix: 'Check the disk. The program accepts no new requests. It has stored everything that it confirmed before the error',
    exit: exitCodes.failure,
  },
  DATA_MOVED: {
    sentence: 'The stored data was deleted, moved or replaced while the program used it',
    fix: 'Restore the folder. Before you start with a new folder, check every order at the venue',
    exit: exitCodes.config,
  },
  VENUE_UNREACHABLE: {
    sentence: 'The venue does not answer',
    fix: 'Check the address and the network. To use the embedded exchange, start it with npx rungs exchange',
    exit: exitCodes.unavailable,
  },
  VENUE_REFUSED: {
    sentence: 'The venue refused the call',
    fix: 'Read the reason that the venue gives, and correct the call',
    exit: exitCodes.refused,
  },
  NOT_SENT_IN_TIME: {
    sentence: 'Nothing was sent: because of the rate limit, the call could not be sent in time',
    fix: 'Try again later: a rate limit allows new calls after some time',
    exit: exitCodes.temporary,
  },
  OUTCOME_UNKNOWN: {
    sentence: 'Unknown outcome: the venue gave no clear answer and may have executed the call',
    fix: 'Read balances and history before you send the call again',
    exit: exitCodes.temporary,
  },
  NOT_CONFIRMED: {
    sentence: 'Nothing was sent: you did not confirm the call',
    fix: 'Answer yes, or pass --yes in a script',
    exit: exitCodes.usage,
  },
  LEVERAGE_DIFFERS: {
    sentence: 'The account does not have the leverage that a strategy needs',
    fix: 'Write the same leverage into all strategy files, and set it at the venue with rungs run --yes',
    exit: exitCodes.config,
  },
  STRATEGY_TWICE: {
    sentence: 'Two strategies have the same name',
    fix: 'Rename one of the strategies: order ids start with the name of the strategy, so each name must be unique',
    exit: exitCodes.data,
  },
  STRATEGY_INVALID: {
    sentence: 'The strategy is invalid',
    fix: 'Correct the lines named above, then validate the file with rungs check FILE',
    exit: exitCodes.data,
  },
  NOT_MEANT_TO_BE_REAL: {
    sentence: 'Real orders are not allowed',
    fix: 'Pass --live, and set account in the venue file to the fingerprint of the API key (rungs doctor prints it)',
    exit: exitCodes.usage,
  },
  BOT_MISSING: {
    sentence: 'No bot runs with this state folder',
    fix: 'Start a bot with rungs run FILE, or pass the state folder of a running bot with --state-dir',
    exit: exitCodes.unavailable,
  },
  BOT_FOREIGN: {
    sentence: 'Another program answers at the address of the bot',
    fix: 'If the bot was killed, start the bot again. The other program did not receive the token of the bot',
    exit: exitCodes.unavailable,
  },
  BOT_SILENT: {
    sentence: 'The bot does not answer',
    fix: 'Read the log of the bot with rungs logs. If its process no longer exists, start the bot again',
    exit: exitCodes.temporary,
  },
  HANDED_OVER: {
    sentence: 'The venue does not answer this process, and a standby takes over',
    fix: 'Check the network of this machine. Start the bot again with --standby',
    exit: exitCodes.temporary,
  },
  CUT_SHORT: {
    sentence: 'The process ended before its shutdown was complete',
    fix: 'Start the program again: a bot first resolves the requests that were in flight',
    exit: exitCodes.temporary,
  },
} as const satisfies Record<string, Entry>

export type ErrorCode = keyof typeof catalogue
