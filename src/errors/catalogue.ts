type Entry = { sentence: string; fix: string; exit: number }

/** Exit codes follow sysexits.h, so that a service manager can tell "try again" from "ask a person". */
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

/** Every complaint a person can get, with what to do about it. README's table of exit codes is tested against it. */
export const catalogue = {
  NUMBER_INVALID: {
    sentence: 'This is not an exact decimal number',
    fix: 'Write plain digits such as 0.015, without exponent, sign or separators',
    exit: exitCodes.data,
  },
  FILE_UNREADABLE: {
    sentence: 'A file cannot be read',
    fix: 'Check the path and its permissions',
    exit: exitCodes.config,
  },
  FILE_INVALID: {
    sentence: 'A file has mistakes',
    fix: 'Mend the lines named above',
    exit: exitCodes.config,
  },
  MARKET_INVALID: {
    sentence: 'A market file cannot be used',
    fix: 'Mend the line named above',
    exit: exitCodes.data,
  },
  SETTING_INVALID: {
    sentence: 'A setting does not fit',
    fix: 'Mend the flag or the environment variable named above',
    exit: exitCodes.config,
  },
  KEY_MISSING: {
    sentence: 'A private call needs an API key and its secret, and they are not set',
    fix: 'Name keyFile and secretFile in the venue file, or set RUNGS_KEY_FILE and RUNGS_SECRET_FILE',
    exit: exitCodes.config,
  },
  SECRET_EXPOSED: {
    sentence: 'A secret is readable by others',
    fix: 'Run chmod 600 on the file, owned by the user that runs the bot',
    exit: exitCodes.config,
  },
  FOLDER_EXPOSED: {
    sentence: 'A folder that the program keeps its data in is open to others',
    fix: 'Run chmod 700 on the folder, owned by the user that runs the program, or name another one',
    exit: exitCodes.config,
  },
  TAPE_INVALID: {
    sentence: 'This is no tape that can be read',
    fix: 'Name a tape of rungs run --record, a HAR file, or snapshots of undici',
    exit: exitCodes.data,
  },
  TAPE_NOT_WRITTEN: {
    sentence: 'The tape cannot be written',
    fix: 'Name a file in a folder that you may write to; one with .partial behind its name must not be there yet',
    exit: exitCodes.config,
  },
  FILE_NOT_WRITTEN: {
    sentence: 'A file cannot be written',
    fix: 'Name a file in a folder that you may write to',
    exit: exitCodes.config,
  },
  REPORT_NOT_WRITTEN: {
    sentence: 'The report cannot be written',
    fix: 'Name a file in a folder that you may write to',
    exit: exitCodes.config,
  },
  TAPE_HOLDS_SECRET: {
    sentence: 'A secret was found on the tape, so it was not given its name',
    fix: 'Do not pass the file on: delete it, and tell us how it came there',
    exit: exitCodes.failure,
  },
  USAGE: {
    sentence: 'The command line is off',
    fix: 'See rungs --help',
    exit: exitCodes.usage,
  },
  PORT_TAKEN: {
    sentence: 'The port is in use',
    fix: 'Choose another port, or 0 for any free one',
    exit: exitCodes.unavailable,
  },
  DATA_BUSY: {
    sentence: 'Another process holds this data',
    fix: 'End that process first, or name another folder: with --state-dir that of a bot, with --data that of an exchange',
    exit: exitCodes.temporary,
  },
  DATA_FOREIGN: {
    sentence: 'The data folder does not fit',
    fix: 'Name a folder of its own with --data, and with --world the file it was made with',
    exit: exitCodes.data,
  },
  DATA_DAMAGED: {
    sentence: 'The stored data are not what was written',
    fix: 'Check the disk, and go back to a copy of the data folder',
    exit: exitCodes.data,
  },
  DATA_BROKEN: {
    sentence: 'The data cannot be made durable',
    fix: 'Check the disk; nothing that was acknowledged is lost, and nothing more is accepted',
    exit: exitCodes.failure,
  },
  DATA_MOVED: {
    sentence: 'The stored data are not where they were opened: deleted, moved or replaced',
    fix: 'Put the folder back as it was, or account for every order at the venue before you begin anew',
    exit: exitCodes.config,
  },
  VENUE_UNREACHABLE: {
    sentence: 'Nothing answers at this address',
    fix: 'Check the address and the way there; the embedded exchange starts with: npx rungs exchange',
    exit: exitCodes.unavailable,
  },
  VENUE_REFUSED: {
    sentence: 'The venue refused the call',
    fix: 'Read what the venue said about each field',
    exit: exitCodes.refused,
  },
  NOT_SENT_IN_TIME: {
    sentence: 'Nothing was sent, because the call did not get its turn',
    fix: 'Try again after a pause: the limits of the venue come free by themselves',
    exit: exitCodes.temporary,
  },
  OUTCOME_UNKNOWN: {
    sentence: 'The venue gave no clear answer: it may or may not have acted',
    fix: 'Look before you send again: read the balances and the history',
    exit: exitCodes.temporary,
  },
  NOT_CONFIRMED: {
    sentence: 'Nothing was sent, because nobody confirmed it',
    fix: 'Answer yes, or pass --yes when no one is there to be asked',
    exit: exitCodes.usage,
  },
  STRATEGY_TWICE: {
    sentence: 'Two strategies have the same name',
    fix: 'Give one of them another name: the ids of their orders begin with it',
    exit: exitCodes.data,
  },
  STRATEGY_INVALID: {
    sentence: 'Strategies have mistakes',
    fix: 'Mend the lines named above; rungs check FILE shows them again',
    exit: exitCodes.data,
  },
  NOT_MEANT_TO_BE_REAL: {
    sentence: 'Orders would leave this machine, and not everything says that they should',
    fix: 'Pass --live, and name the account in the venue file',
    exit: exitCodes.usage,
  },
  BOT_MISSING: {
    sentence: 'No bot runs here',
    fix: 'Start one with: rungs run FILE, or name its folder with --state-dir',
    exit: exitCodes.unavailable,
  },
  BOT_FOREIGN: {
    sentence: 'Another program answers at the address of the bot',
    fix: 'The token was not sent to it. If the bot was killed, start it again',
    exit: exitCodes.unavailable,
  },
  BOT_SILENT: {
    sentence: 'The bot does not answer',
    fix: 'Look into its log with rungs logs; if the process is gone, start it again',
    exit: exitCodes.temporary,
  },
  CUT_SHORT: {
    sentence: 'The process was cut off while it ended',
    fix: 'Start it again: what was on its way then is looked up first',
    exit: exitCodes.temporary,
  },
} as const satisfies Record<string, Entry>

export type ErrorCode = keyof typeof catalogue
