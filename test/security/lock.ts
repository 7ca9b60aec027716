import { z } from 'zod'

const dependencies = z.record(z.string(), z.string()).default({})
const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'] as const
const manifestSchema = z.object({
  dependencies,
  devDependencies: dependencies,
  optionalDependencies: dependencies,
  /** Packages whose script npm does not run. npm before version 11 does not know this key. */
  allowScripts: z.record(z.string(), z.boolean()).default({}),
})
const lockSchema = z.object({
  lockfileVersion: z.literal(3),
  packages: z.record(z.string(), z.looseObject({})),
})

const exact = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/
const registry = 'https://registry.npmjs.org/'
/** SHA-512 is 64 bytes: 86 letters of base64 and two signs of equality. */
const integrity = /^sha512-[A-Za-z0-9+/]{86}==$/

/** All by which a lock file could install other code than the reviewed one, and where it differs from the manifest. */
export function lockFaults(manifestText: string, lockText: string): string[] {
  const manifest = manifestSchema.parse(JSON.parse(manifestText))
  const { packages } = lockSchema.parse(JSON.parse(lockText))
  const locked = manifestSchema.parse(packages[''] ?? {})
  const drifted = kinds.filter((kind) => JSON.stringify(manifest[kind]) !== JSON.stringify(locked[kind]))
  const loose = kinds
    .flatMap((kind) => Object.entries(manifest[kind]))
    .filter(([, range]) => !exact.test(range))
  const missing = kinds
    .flatMap((kind) => Object.entries(manifest[kind]))
    .filter(([name, version]) => packages[`node_modules/${name}`]?.['version'] !== version)
  return [
    ...drifted.map((kind) => `${kind} of the lock file are not those of package.json`),
    ...loose.map(([name, range]) => `${name} has no exact version: ${range}`),
    ...missing.map(([name]) => `${name} is not locked at the version of package.json`),
    ...Object.entries(packages)
      .filter(([path]) => path !== '')
      .flatMap(([path, entry]) => entryFaults(path, entry, manifest.allowScripts)),
  ]
}

function entryFaults(
  path: string,
  entry: Readonly<Record<string, unknown>>,
  allowScripts: Readonly<Record<string, boolean>>,
): string[] {
  // Only packages for development may have a script, and package.json must forbid it.
  const isDenied = entry['dev'] === true && allowScripts[path.replace('node_modules/', '')] === false
  const { version, resolved, link, name } = entry
  const rules: [fault: string, isBroken: boolean][] = [
    ['is not below node_modules', !path.startsWith('node_modules/')],
    ['has no exact version', !exact.test(String(version))],
    ['has no SHA-512 of its archive', !integrity.test(String(entry['integrity']))],
    // npm writes none for the registry (`omit-lockfile-registry-resolved`), and an address for all else.
    [
      'comes from elsewhere than the registry',
      resolved !== undefined && !(typeof resolved === 'string' && resolved.startsWith(registry)),
    ],
    ['is a link', link !== undefined],
    ['is another package under this name', name !== undefined],
    ['runs a script when it is installed', entry['hasInstallScript'] !== undefined && !isDenied],
  ]
  return rules.filter(([, isBroken]) => isBroken).map(([fault]) => `${path} ${fault}`)
}
