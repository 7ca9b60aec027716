import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { openApiDocument } from '#src/venues/whitebit/contract/openapi.ts'
import { orderNames, type Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { openApiFetch, openApiPythonClient, openApiTypescript, pythonOf } from '#test/support/peers.ts'

/**
 * Clients that others generate from the OpenAPI document, in both spellings, make the same ten calls. Each adds a hook
 * that signs a request; `calls.*` are the programs that a user of the client would write.
 */
const spellings: readonly Spelling[] = ['spec', 'camel']
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const answers = (id: string) =>
  [
    'time 200 true',
    'markets 200 futures',
    'orderbook 200 true',
    'tradingBalance 200 true',
    `collateralLimit 200 ${id}`,
    'openOrders 200 1',
    'modifyOrder 200 40010',
    'cancelOrder 200 CANCELED',
    'collateralBulk 200 2',
    'cancelAll 200 0',
    '',
  ].join('\n')

function done(folder: string, [command = '', ...words]: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, words, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, GOFLAGS: '-mod=mod' },
  })
  expect(status, `${command} ${words.join(' ')}\n${stdout}${stderr}`).toBe(0)
  return stdout
}

/** Writes the document, generates the client, and lets the program make its calls. */
async function called(spelling: Spelling, generate: (folder: string) => string[]): Promise<void> {
  using folder = temporaryFolder()
  writeFileSync(folder.file('openapi.json'), JSON.stringify(openApiDocument(contract, spelling)))
  const command = generate(folder.path)
  await using exchange = await startExchange([
    '--profile',
    'full',
    '--spelling',
    spelling,
    '--market',
    'still',
  ])
  expect(done(folder.path, [...command, exchange.url, 'generated.1'])).toBe(answers('generated.1'))
}

test.for(spellings)('openapi-typescript and openapi-fetch, spelling %s', (spelling) =>
  called(spelling, (folder) => {
    const [generator, sender] = [openApiTypescript(), openApiFetch()]
    done(folder, [process.execPath, join(generator, 'bin/cli.js'), 'openapi.json', '-o', 'venue.d.ts'])
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(sender, join(folder, 'node_modules/openapi-fetch'))
    const program = readFileSync(file('calls.ts.txt'), 'utf8')
    const names = spelling === 'spec' ? Object.entries(orderNames) : []
    const spelled = names.reduce((text, [name, camel]) => text.replaceAll(camel, name), program)
    writeFileSync(join(folder, 'calls.ts'), spelled)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const types = dirname(file('../../../node_modules/@types/node'))
    const flags =
      '--noEmit --strict --module nodenext --target esnext --allowImportingTsExtensions --types node'
    const compiler = file('../../../node_modules/typescript/bin/tsc')
    done(folder, [process.execPath, compiler, ...flags.split(' '), '--typeRoots', types, 'calls.ts'])
    return [process.execPath, 'calls.ts']
  }),
)

test.for(spellings)('openapi-python-client, spelling %s', (spelling, { skip }) => {
  skip(pythonOf() === undefined && !process.env['CI'], 'no python3 of version 3.11 or later was found')
  return called(spelling, (folder) => {
    const python = openApiPythonClient()
    writeFileSync(join(folder, 'settings.yaml'), 'package_name_override: venue\npost_hooks: []\n')
    const words = [
      '--path',
      'openapi.json',
      '--output-path',
      'venue',
      '--meta',
      'none',
      '--config',
      'settings.yaml',
    ]
    done(folder, [python, '-m', 'openapi_python_client', 'generate', '--fail-on-warning', ...words])
    copyFileSync(file('calls.py'), join(folder, 'calls.py'))
    return [python, 'calls.py']
  })
})

const hasGo = spawnSync('go', ['version']).status === 0

test.for(spellings)('oapi-codegen for Go, spelling %s', (spelling, { skip }) => {
  skip(!hasGo && !process.env['CI'], 'no go was found')
  return called(spelling, (folder) => {
    const generator = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
    mkdirSync(join(folder, 'venue'))
    const words = ['-generate', 'types,client', '-package', 'venue', '-o', 'venue/venue.go', 'openapi.json']
    done(folder, ['go', 'run', generator, ...words])
    copyFileSync(file('calls.go'), join(folder, 'calls.go'))
    done(folder, ['go', 'mod', 'init', 'example.com/calls'])
    done(folder, ['go', 'get', 'github.com/oapi-codegen/runtime@v1.9.0'])
    return ['go', 'run', '.']
  })
})
