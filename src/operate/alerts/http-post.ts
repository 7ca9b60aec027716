import type { HttpPost } from './target-types.ts'

export type HttpAnswer =
  | { kind: 'answered'; status: number; retryAfter: string | undefined; body: string }
  /** In our own words, because those of others may quote an address that is a secret. */
  | { kind: 'silent'; reason: string }

/** Whoever takes longer is not there. */
export const attemptMsMax = 10_000
/** Nobody has more to say than that. */
const bodyBytesMax = 16 * 1024

/** One attempt, to its end or to that of the signal. */
export async function posted({ url, headers, body }: HttpPost, signal: AbortSignal): Promise<HttpAnswer> {
  return answerOf(url, { method: 'POST', headers, body }, signal)
}

/** A sign of life. */
export async function pinged(url: string, signal: AbortSignal): Promise<HttpAnswer> {
  return answerOf(url, { method: 'GET' }, signal)
}

export function isGood(answer: HttpAnswer): boolean {
  return answer.kind === 'answered' && answer.status >= 200 && answer.status < 300
}

async function answerOf(url: string, about: RequestInit, signal: AbortSignal): Promise<HttpAnswer> {
  try {
    const response = await fetch(url, { ...about, redirect: 'manual', signal })
    const { status } = response
    const retryAfter = response.headers.get('retry-after') ?? undefined
    return { kind: 'answered', status, retryAfter, body: await beginningOf(response) }
  } catch (error) {
    return { kind: 'silent', reason: signal.aborted ? 'timeout' : codeOf(error) }
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  if (body === null) return ''
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    // Leaving the loop ends the rest of it, too.
    if (bytes >= bodyBytesMax) break
  }
  return Buffer.concat(chunks).subarray(0, bodyBytesMax).toString()
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
    ? cause.code
    : 'no answer'
}
