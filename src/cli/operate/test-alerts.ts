import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Alert } from '#src/operate/alerts/alert.ts'
import { attemptMsMax, isSuccess, ping, post, type HttpAnswer } from '#src/operate/alerts/http-post.ts'
import { loadAlerts, type AlertSettings } from '#src/operate/alerts/alert-settings.ts'
import { verdictOf } from '#src/operate/alerts/alert-target.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { columns } from '#src/cli/words/text.ts'

type Tried = { target: string; about: string; told: boolean; reason: string | null; answer: string | null }

const answerShownMost = 200

/** `rungs alerts test`: sends one message to each target and prints the results. */
export async function testAlerts(path: string, { json = false }: { json?: boolean }): Promise<number> {
  const settings = loadAlerts(path)
  const tried = await Promise.all(tries(settings))
  const lines = json
    ? tried.map((each) => JSON.stringify(each))
    : columns(tried.map(({ target, about, told, reason }) => [target, about, told ? 'told' : (reason ?? '')]))
  process.stdout.write(`${lines.join('\n')}\n`)
  for (const { target, answer } of json ? [] : tried)
    if (answer !== null) process.stderr.write(`${target}: ${answer}\n`)
  return tried.every(({ told }) => told) ? exitCodes.ok : exitCodes.unavailable
}

function tries({ targets, heartbeat, secrets }: AlertSettings): Promise<Tried>[] {
  const text = 'Test alert of Rungs. Alerts reach you.'
  const alert: Alert = { type: 'test', level: 'info', cause: 'test', title: 'test', text }
  const message = { id: randomUUID(), host: hostname(), time: new Date().toISOString(), alert }
  const shown = (answer: HttpAnswer) =>
    answer.kind === 'answered'
      ? printable(
          secrets.reduce((text, secret) => secret.hiddenIn(text), answer.body).slice(0, answerShownMost),
        )
      : null
  const told = targets.map(async ({ name, targetType }) => {
    const answer = await post(targetType.post(message, Date.now()), AbortSignal.timeout(attemptMsMax))
    const verdict = verdictOf(answer, targetType)
    const reason = verdict.told ? null : verdict.reason
    return {
      target: name,
      about: targetType.about,
      told: verdict.told,
      reason,
      answer: reason && shown(answer),
    }
  })
  if (heartbeat === undefined) return told
  const beat = async () => {
    const answer = await ping(heartbeat.url, AbortSignal.timeout(attemptMsMax))
    const reason =
      answer.kind === 'answered' ? `the target answered ${answer.status}` : `no answer (${answer.reason})`
    const told = isSuccess(answer)
    return { target: 'heartbeat', about: 'heartbeat', told, reason: told ? null : reason, answer: null }
  }
  return [...told, beat()]
}
