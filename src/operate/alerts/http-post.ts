import { systemCode } from '#src/core/errors/system-errors.ts'
import type { HttpPost } from './target-types.ts'

export type HttpAnswer =
  | { kind: 'answered'; status: number; retryAfter: string | undefined; body: string }
  /** Not the message of the error, which may quote a secret address. */
  | { kind: 'silent'; reason: string }

export const attemptMsMax = 10_000
const bodyBytesMax = 16 * 1024

/** Makes one attempt, until the signal aborts it. */
export async function post(
  { url, headers, body }: HttpPost,
  signal: AbortSignal,
  bytesMax = bodyBytesMax,
): Promise<HttpAnswer> {
  return answerOf(url, { method: 'POST', headers, body, signal }, bytesMax)
}

export async function ping(url: string, signal: AbortSignal): Promise<HttpAnswer> {
  return answerOf(url, { method: 'GET', signal })
}

export function isSuccess(answer: HttpAnswer): boolean {
  return answer.kind === 'answered' && answer.status >= 200 && answer.status < 300
}

async function answerOf(
  url: string,
  about: RequestInit & { signal: AbortSignal },
  bytesMax = bodyBytesMax,
): Promise<HttpAnswer> {
  try {
    const response = await fetch(url, { ...about, redirect: 'manual' })
    const { status } = response
    const retryAfter = response.headers.get('retry-after') ?? undefined
    return { kind: 'answered', status, retryAfter, body: await beginningOf(response, bytesMax) }
  } catch (error) {
    const code = error instanceof Error ? systemCode(error.cause) : undefined
    return { kind: 'silent', reason: about.signal.aborted ? 'timeout' : (code ?? 'no answer') }
  }
}

async function beginningOf({ body }: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  if (body === null) return ''
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    // Leaving the loop also cancels the rest of the stream.
    if (bytes >= bytesMax) break
  }
  return Buffer.concat(chunks).subarray(0, bytesMax).toString()
}
