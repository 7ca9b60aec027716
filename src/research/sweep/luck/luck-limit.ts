/** Up to this probability, a result counts as more than luck. The calibration test measures how often this is right. */
export const luckMost = 0.05
