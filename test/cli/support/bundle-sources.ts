// Writes the program as one bundle to a folder, and the hook with which the launcher runs it in place of src/main.ts.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'rolldown'

const [folder = ''] = process.argv.slice(2)
const source = fileURLToPath(new URL('../../../src', import.meta.url))
const main = join(source, 'main.ts')

await build({
  input: main,
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
          .replaceAll(/import\.meta\.resolve\('#src\/([^']+)'\)/g, (_, name) =>
            JSON.stringify(pathToFileURL(join(source, String(name))).href),
          )
          .replaceAll('import.meta.url', JSON.stringify(place))
      },
    },
  ],
  output: { dir: folder, entryFileNames: 'main.mjs' },
})

writeFileSync(
  join(folder, 'hook.mjs'),
  `import { registerHooks } from 'node:module'

const url = new URL('main.mjs', import.meta.url).href
registerHooks({
  resolve: (name, about, next) => (name === './main.ts' ? { url, shortCircuit: true } : next(name, about)),
})
`,
)
