/** How often the bot reads the list of futures, in venue time: at each multiple of it. */
export const futuresEveryMs = 10_000
/** After this time without a new value, the values of a feed are unknown. */
export const futuresStaleMs = 3 * futuresEveryMs

/** The same for order books: each is a request of its own. */
export const depthEveryMs = 1000
export const depthStaleMs = 5 * depthEveryMs

/** The same for the public trades of a market. */
export const tradesEveryMs = 1000
export const tradesStaleMs = 5 * tradesEveryMs
