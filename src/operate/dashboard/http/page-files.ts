import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

type PageFile = { url: URL; type: string }

const folder = new URL('../page/', import.meta.url)
const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

/** The files of the page, which contain no secrets. Lookup is by name in a list, so that no path leads outside. */
export class PageFiles {
  readonly #files = new Map<string, PageFile>()

  constructor() {
    for (const path of readdirSync(folder, { encoding: 'utf8', recursive: true })) {
      const name = path.replaceAll('\\', '/')
      this.#add(name, new URL(name, folder))
    }
    const charts = 'lightweight-charts'
    const library = new URL(`${charts}.standalone.production.js`, import.meta.resolve(charts))
    this.#add(`${charts}.js`, library)
  }

  async read(name: string): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string } | undefined> {
    const file = this.#files.get(name)
    return file && { bytes: new Uint8Array(await readFile(file.url)), type: file.type }
  }

  #add(name: string, url: URL): void {
    const type = types[name.slice(name.lastIndexOf('.') + 1)]
    if (type !== undefined && !name.endsWith('.json')) this.#files.set(name, { url, type })
  }
}
