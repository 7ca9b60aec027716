import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Dashboard, type DashboardParts } from '#src/operate/dashboard/dashboard.ts'
import { keepNames } from './state-folder-files.ts'
import { openListener } from './listener.ts'
import { PageFiles } from './page-files.ts'
import { routesOf } from './routes.ts'

export type OpenDashboard = {
  dashboard: Dashboard
  url: string
  /** Contains the token, which allows to stop the bot. */
  link: string
  close(): Promise<void>
}

/** Opens the dashboard of a bot to those that know the token in its folder. */
export async function openDashboard(
  about: DashboardParts & {
    port: number | undefined
    signalToken: string | undefined
    /** Names of strategies, and of ladders with a dot at the end, for shell completion. */
    names: readonly string[]
    /** The text for Prometheus. */
    metrics: (dashboard: Dashboard) => string
  },
): Promise<OpenDashboard> {
  const { stateDir, port, signalToken, names, metrics } = about
  const dashboard = new Dashboard(about)
  const files = new PageFiles()
  let listener: Awaited<ReturnType<typeof openListener>>
  try {
    const serve = ({ token, port }: { token: string; port: number }): RequestListener => {
      const routes = routesOf({
        dashboard,
        files,
        token,
        signalToken,
        port,
        metrics: () => metrics(dashboard),
      })
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
    // Its timer would keep the process alive.
    await dashboard.close()
    throw error
  }
  dashboard.url = listener.url
  return { dashboard: dashboard, url: listener.url, link: linkTo(listener.url, listener.token), close }
  async function close() {
    await Promise.all([dashboard.close(), listener.close()])
  }
}

/**
 * The browser does not send the part after the #, so no server logs it. The page needs the port to check the proof of the
 * listener through a tunnel, which has another port.
 */
export function linkTo(url: string, token: string): string {
  return `${url}/#${token}.${new URL(url).port}`
}
