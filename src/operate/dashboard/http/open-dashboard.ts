import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Dashboard, type DeskParts } from '#src/operate/dashboard/dashboard.ts'
import { keepNames } from './state-folder-files.ts'
import { openListener } from './listener.ts'
import { PageFiles } from './page-files.ts'
import { routesOf } from './routes.ts'

export type OpenDashboard = {
  desk: Dashboard
  url: string
  /** For people at this machine alone: whoever has it can stop the bot. */
  link: string
  close(): Promise<void>
}

/** Opens the desk of a bot to whoever knows the token in its folder. */
export async function openDashboard(
  about: DeskParts & {
    port: number | undefined
    /** Of strategies, and of ladders with a dot behind them. */
    names: readonly string[]
    /** For programs that watch numbers. */
    metrics: (desk: Dashboard) => string
  },
): Promise<OpenDashboard> {
  const { stateDir, port, names, metrics } = about
  const desk = new Dashboard(about)
  const files = new PageFiles()
  let listener: Awaited<ReturnType<typeof openListener>>
  try {
    const serve = ({ token, port }: { token: string; port: number }): RequestListener => {
      const routes = routesOf({ desk, files, token, port, metrics: () => metrics(desk) })
      const answer = getRequestListener(routes.fetch, { overrideGlobalObjects: false })
      return (incoming, outgoing) => {
        answer(incoming, outgoing).catch((error: unknown) => {
          outgoing.destroy()
          about.onBroken(error)
        })
      }
    }
    keepNames(stateDir, names)
    listener = await openListener({ stateDir, port, serve })
  } catch (error) {
    // What it does by itself would keep the process from ending.
    await desk.close()
    throw error
  }
  desk.url = listener.url
  return { desk, url: listener.url, link: linkTo(listener.url, listener.token), close }
  async function close() {
    await Promise.all([desk.close(), listener.close()])
  }
}

/**
 * What stands behind the # stays in the browser: no log of any server has it. The port lets the page check the proof of the
 * listener through a tunnel, which has another port.
 */
export function linkTo(url: string, token: string): string {
  return `${url}/#${token}.${new URL(url).port}`
}
