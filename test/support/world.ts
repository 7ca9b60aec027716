import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { worldSchema, type World } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'

/** A part of a world file, as text; undefined takes a setting out. Lists are replaced as a whole. */
export type WorldChange = {
  readonly [key: string]: WorldChange | readonly WorldChange[] | string | readonly string[] | undefined
}

const packaged = fileURLToPath(new URL('../../config/exchange.yaml', import.meta.url))
const asWritten = readYaml(packaged, z.looseObject({}))
const parsed = new Map<string, World>()

/** The packaged world with some settings written differently, read like any world file. */
export function worldWith(...changes: readonly WorldChange[]): World {
  const name = JSON.stringify(changes)
  const known = parsed.get(name)
  if (known) return known
  const world = worldSchema.parse(changes.reduce(merged, asWritten))
  parsed.set(name, world)
  return world
}

function merged(base: unknown, change: WorldChange): Record<string, unknown> {
  const result: Record<string, unknown> = { ...z.looseObject({}).catch({}).parse(base) }
  for (const [key, value] of Object.entries(change)) {
    result[key] = isMap(value) ? merged(result[key], value) : value
  }
  return result
}

function isMap(value: WorldChange[string]): value is WorldChange {
  return typeof value === 'object' && !Array.isArray(value)
}
