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

/** Whether the disk or the quota is full: a retry helps once there is space. */
export function isFull(code: string | undefined): boolean {
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
}

/** `ENOENT, no such file or folder`; an unlisted code stands for itself. */
export function systemWords(code: string): string {
  const meaning = words[code]
  return meaning === undefined ? code : `${code}, ${meaning}`
}

/** The word by which the operating system, or Node, tells errors apart; undefined where it has none. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** It for behind a path: ` (ENOENT)`. */
export function codeBehind(error: unknown): string {
  const code = systemCode(error)
  return code === undefined ? '' : ` (${code})`
}
