/** The reader makes a thread busy, and asks a busy one to stop; the thread becomes idle after each file. */
export const threadStates = { idle: 0, busy: 1, stopping: 2 } as const

/** The length that follows the last bytes. */
export const ended = -1
