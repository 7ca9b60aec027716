// Writes the program and the thread of a sweep as one bundle to a folder, and the hook that runs them in place of the sources.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'rolldown'

const [folder = ''] = process.argv.slice(2)
const source = fileURLToPath(new URL('../../../src', import.meta.url))

await build({
  input: { main: join(source, 'main.ts'), worker: join(source, 'research/sweep/worker.ts') },
  platform: 'node',
  tsconfig: false,
  // They read files beside their own, or are optional.
  external: ['pino', 'pg', 'pg-boss'],
  checks: { emptyImportMeta: false },
  plugins: [
    {
      name: 'places',
      // Threads and files beside the sources are found from the place of each source.
      transform: (code, path) => {
        if (!code.includes('import.meta')) return undefined
        const place = pathToFileURL(path).href
        return code
          .replaceAll(/import\.meta\.resolve\('#src\/(?!research\/sweep\/worker)([^']+)'\)/g, (_, name) =>
            JSON.stringify(pathToFileURL(join(source, String(name))).href),
          )
          .replaceAll('import.meta.url', JSON.stringify(place))
      },
    },
  ],
  output: { dir: folder, entryFileNames: '[name].mjs' },
})

writeFileSync(
  join(folder, 'hook.mjs'),
  `import { registerHooks } from 'node:module'

const places = new Map([
  ['./main.ts', new URL('main.mjs', import.meta.url).href],
  ['#src/research/sweep/worker.ts', new URL('worker.mjs', import.meta.url).href],
])
registerHooks({
  resolve(name, about, next) {
    const url = places.get(name)
    return url === undefined ? next(name, about) : { url, shortCircuit: true }
  },
})
`,
)
