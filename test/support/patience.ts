/**
 * For waits that have to say how long they wait: as long as the test may take. A wait ends with its condition; one whose
 * condition never comes ends with its test, whose time the configuration sets.
 */
export const patience = { timeout: 890_000, interval: 20 }
