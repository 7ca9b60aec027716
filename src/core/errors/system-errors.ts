/** Meanings of the error codes of the operating system for files. */
const words: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ERR_ACCESS_DENIED: 'not among the files that this process may read since its start; restart it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'the file exists',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file is too large',
  EIO: 'disk error',
  EROFS: 'the disk is read-only',
  EMFILE: 'too many files are open',
  ELOOP: 'the links form a loop',
  ENAMETOOLONG: 'the name is too long',
}

/** Whether the disk or the quota is full: a retry works once there is space. */
export function isFull(code: string | undefined): boolean {
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
}

/** `ENOENT, no such file or folder`; an unlisted code is returned alone. */
export function systemWords(code: string): string {
  const meaning = words[code]
  return meaning === undefined ? code : `${code}, ${meaning}`
}

/** The error code of the operating system or of Node; undefined if the error has none. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** The code, to append to a path: ` (ENOENT)`. */
export function codeBehind(error: unknown): string {
  const code = systemCode(error)
  return code === undefined ? '' : ` (${code})`
}
