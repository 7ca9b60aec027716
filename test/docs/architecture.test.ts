import { expect, test } from 'vitest'
import { pureRooms, rooms } from '#test/rooms.ts'
import { userDocuments } from './documents.ts'

const map = userDocuments.find(({ path }) => path === 'docs/architecture/README.md')
const [, section = ''] = map?.text.split('\n## Rooms\n') ?? []
const rows = new Map(
  [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([\w/-]+)` \| (.+) \|$/gm)].map(
    ([, room = '', cells = '']) => [room, cells.split(' | ')],
  ),
)
/** Where a program begins: no part of the map. */
const entrances = new Set(['main', 'index', 'library'])
const names = Object.keys(rooms).filter((room) => !entrances.has(room))

const shortName = (room: string): string => `\`${room.replace(/^venues\//, '')}\``

/** The rooms outside `core` that a room may import, as the map writes them. */
function importsText(room: string): string {
  const others = (among: readonly string[]) =>
    among.filter((name) => name !== room && !name.startsWith('core/')).map(shortName)
  const allowed = others(rooms[room] ?? [])
  const missing = others(names).filter((name) => !allowed.includes(name))
  if (allowed.length === 0) return '–'
  if (missing.length === 0) return 'all'
  return missing.length < 3 ? `all but ${missing.join(', ')}` : allowed.join(', ')
}

test('the map of the code has each room of test/rooms.ts', () => {
  expect([...rows.keys()]).toEqual(names)
})

test.each(names)('the row of %s in the map says what test/rooms.ts says', (room) => {
  const [holds, pure, imports] = rows.get(room) ?? []
  expect(holds).toMatch(/\w+ \w+/)
  expect({ pure, imports }).toEqual({ pure: pureRooms.has(room) ? 'yes' : 'no', imports: importsText(room) })
})
