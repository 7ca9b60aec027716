// `npm run build`: the plain JavaScript and the type declarations of the package, in dist. `npm pack` runs it first.
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const root = new URL('../../', import.meta.url)
const source = fileURLToPath(new URL('src', root))
const output = fileURLToPath(new URL('dist', root))
const compiler = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root))
const settings = fileURLToPath(new URL('config/tools/build.json', root))

rmSync(output, { recursive: true, force: true })
// Types are checked by `npm run types`. Here the compiler would refuse `#src/x.ts`, which it need not rewrite: see below.
execFileSync(process.execPath, [compiler, '--noCheck', '--project', settings], { stdio: 'inherit' })

// The files of the pages, which browsers read as they are. Everything else in src is compiled, or for developers.
const pageFiles = new Set(['', '.html', '.css', '.js'])
cpSync(source, output, { recursive: true, filter: (path) => pageFiles.has(extname(path)) })

// The nearest package.json decides what "#src/x.ts" is: in the repository src/x.ts, here x.js. TypeScript follows it, too.
const scope = { type: 'module', imports: { '#src/*.ts': './*.js' } }
writeFileSync(`${output}/package.json`, `${JSON.stringify(scope, undefined, 2)}\n`)

// Short commands, which src/bundled.mjs chooses, in one file: for them, to load hundreds of modules would take longer than their
// work. It lies as deep as the sources that look for a file of the package.
const isElsewhere = (name: string) =>
  name === './venue-rules.ts' || /^#src\/cli\/(?!(?:check|completion)\/)/.test(name)
const bundle = await build({
  input: `${source}/main.ts`,
  platform: 'node',
  tsconfig: false,
  // An old Node prints texts with it.
  transform: { target: 'node20' },
  checks: { emptyImportMeta: false },
  plugins: [
    {
      name: 'other-commands',
      resolveDynamicImport: (name) =>
        typeof name === 'string' && isElsewhere(name) ? { id: name, external: true } : undefined,
    },
  ],
  output: { dir: `${output}/cli/bundle`, format: 'cjs', codeSplitting: false, entryFileNames: '[hash].cjs' },
})

// The licenses of the packages in it require their text beside the copy.
const packages = new Set(
  Object.keys(bundle.output[0].modules).flatMap(
    (path) => /^.*node_modules.(?:@[^/\\]+.)?[^/\\]+/.exec(path)?.[0] ?? [],
  ),
)
const licenses = [...packages].map((path) => {
  const file = readdirSync(path).find((name) => /^licen[cs]e/i.test(name)) ?? 'LICENSE'
  return `${basename(path)}\n\n${readFileSync(join(path, file), 'utf8')}`
})
writeFileSync(`${output}/cli/bundle-licenses.txt`, licenses.join('\n'))
