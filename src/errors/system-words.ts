/** What the codes of the operating system mean that people meet with files. */
const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'you have no permission',
  EPERM: 'you have no permission',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  EEXIST: 'something else stands there',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file may not grow any further',
  EIO: 'the disk has failed',
  EROFS: 'the disk can only be read',
  EMFILE: 'too many files are open',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
}

/** Whether the disk or the quota is full: a retry helps once there is space. */
export function isFull(code: string | undefined): boolean {
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
}

/** `ENOENT, there is no such file or folder`; a code that nobody meets stands for itself. */
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
