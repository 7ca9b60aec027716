import { waiting } from '#test/rooms.ts'

type File = { path: string; imports: readonly string[] }

/** Files that import each other in a circle. */
export function cycles(files: readonly File[]): string[] {
  const graph = new Map(files.map(({ path, imports }) => [path, imports]))
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path))
      found.push(`${[...trail.slice(trail.indexOf(path)), path].join(' -> ')} is a cycle`)
    if (done.has(path)) return
    done.add(path)
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
  }
  for (const path of graph.keys()) visit(path, [])
  return found
}

/** Files that neither the program nor the package uses. */
export function dead(files: readonly File[]): string[] {
  const graph = new Map(files.map(({ path, imports }) => [path, imports]))
  const library = files.map(({ path }) => path).filter((path) => path.startsWith('src/library/'))
  const reached = new Set(['src/main.ts', 'src/index.ts', ...library])
  for (const path of reached) for (const next of graph.get(path) ?? []) reached.add(next)
  return files.flatMap(({ path }) => {
    if (reached.has(path)) return waiting.has(path) ? [`${path} waits no more: take it off the list`] : []
    return waiting.has(path) ? [] : [`${path} is dead: nothing leads to it from src/main.ts`]
  })
}
