/** The leverage values of an account, in a file of their own: a command line reads them without the schemas. */
export const leverages = [1, 2, 3, 5, 10, 20, 50, 100] as const
