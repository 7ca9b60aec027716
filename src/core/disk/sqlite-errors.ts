/** Result codes of SQLite, without their details. */
export const sqliteCodes = { busy: 5, readOnly: 8, ioError: 10, full: 13, cannotOpen: 14, notDatabase: 26 }

/** The result code of an error of SQLite; 0 for any other error. */
export function sqliteCode(error: unknown): number {
  if (!(error instanceof Error) || !('errcode' in error)) return 0
  return typeof error.errcode === 'number' ? error.errcode & 0xff : 0
}
