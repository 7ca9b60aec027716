// `npm run build`: the plain JavaScript and the type declarations of the package, in dist. `npm pack` runs it first.
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

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
