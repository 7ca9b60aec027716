/** What an account may be set to. */
export const leverages = [1, 2, 3, 5, 10, 20, 50, 100] as const
