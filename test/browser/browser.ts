import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'

const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))
/** The sandbox needs rights that containers lack; the browser opens only our pages. */
const flags = ['--no-sandbox', '--disable-gpu']

/**
 * A real browser without a profile and without own requests: the npm package on Linux, an installed Chrome elsewhere, or the
 * program in RUNGS_BROWSER.
 */
export async function startBrowser(): Promise<Browser> {
  const named = process.env['RUNGS_BROWSER']
  if (named !== undefined) return chromium.launch({ executablePath: named, args: flags, timeout: 0 })
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return chromium.launch({ channel: 'chrome', timeout: 0 })
  const folder = await unpacked()
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: flags,
    timeout: 0,
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  })
}

/** A page with its external requests and its errors. */
export type WatchedPage = AsyncDisposable & { page: Page; requests: string[]; complaints: string[] }

export async function openPage(
  browser: Browser,
  url: string,
  look: { width: number; colorScheme?: 'light' | 'dark' },
): Promise<WatchedPage> {
  const { width, colorScheme = 'light' } = look
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
  const page = await context.newPage()
  // The timeout of the test limits all waits, even on a busy machine.
  page.setDefaultTimeout(0)
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => {
    if (request.url() !== url) requests.push(request.url())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.goto(url)
  return { page, requests, complaints, [Symbol.asyncDispose]: () => context.close() }
}

/** Unpacks the compressed browser once a clone, atomically. */
async function unpacked(): Promise<string> {
  const main = new URL(import.meta.resolve('@sparticuz/chromium'))
  const { version }: { version: string } = JSON.parse(readFileSync(new URL('../package.json', main), 'utf8'))
  const folder = join(cache, `chromium-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const growing = await mkdtemp(join(cache, 'unpacking-'))
  // The package unpacks into the temporary folder and does not check existing files, so it gets a separate folder.
  const script = `
    const { inflate } = await import(${JSON.stringify(main.href)})
    for (const name of ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'])
      await inflate(${JSON.stringify(fileURLToPath(new URL('../bin/', main)))} + name)`
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, TMPDIR: growing },
  })
  const fonts = `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`
  await writeFile(join(growing, 'fonts.conf'), fonts)
  await rename(growing, folder).catch(async (error: unknown) => {
    // Another process was faster.
    await rm(growing, { recursive: true })
    if (!existsSync(folder)) throw error
  })
  return folder
}
