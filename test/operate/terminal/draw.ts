// A terminal program for tests: draws hostile text in every field, and ends as requested.
import { Screen } from '#src/cli/run/screen.ts'
import { frame } from '#src/operate/terminal/frame.ts'
import { viewOf } from './view.ts'

const words = '\u001b[2J\u001b[1;1H\r\n\u009b31m\u202e漢字🪜'
const view = viewOf('sgrid')
const { bot } = view.tables
const tables = { ...view.tables, bot: { '': { ...bot['']!, lost: `a cable ${words}` } } }
const events = view.events.map((each) => ({ ...each, text: `${words} ${each.text}` }))
const draw = () => screen.show(frame({ ...view, tables, events }, screen.size))
const screen = new Screen(process.stdout, process.stdin, {
  key,
  broken: () => process.exit(3),
  resized: draw,
})

function key(pressed: string): void {
  if (pressed === 'x') throw new Error('as it was told')
  if (pressed === 'e') process.exit(0)
  if (pressed === 'c') void screen.close().then(() => process.stdout.write('closed\n'))
}

process.stdout.write('before\n')
screen.open()
const timer = setInterval(() => {
  if (screen.isFree) draw()
}, 50)
timer.unref()
