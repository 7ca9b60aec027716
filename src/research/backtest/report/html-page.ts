import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { html, raw } from 'hono/html'

type Markup = ReturnType<typeof html>
/** Style sheets and scripts by path; scripts run after the body, in this order. */
type Parts = { title: string; styles: readonly URL[]; scripts: readonly URL[]; body: Markup }

/** One page without external parts. Its policy lists the hashes of its own scripts and styles, so no injected code can run. */
export async function htmlPage({ title, styles, scripts, body }: Parts): Promise<string> {
  const [style, ...codes] = [styles.map(textOf).join('\n'), ...scripts.map(textOf)]
  const policy = [
    "default-src 'none'",
    ...(codes.length > 0 ? [`script-src ${codes.map(printOf).join(' ')}`] : []),
    `style-src ${printOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        ${asItIs('style', style)}
      </head>
      <body>
        ${body} ${codes.map((code) => asItIs('script', code))}
      </body>
    </html>`
  return `${String(await page)}\n`
}

export function textOf(url: URL): string {
  return readFileSync(url, 'utf8').trim()
}

/** The policy contains its hash: no white space may be added. */
function asItIs(tag: 'style' | 'script', text: string) {
  return raw(`<${tag}>${text}</${tag}>`)
}

function printOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
