import { expect, test } from 'vitest'
import { VirtualTime } from '#src/runtime/virtual-time.ts'

test('what follows from one thing is followed to its end, while the clock stands still', async () => {
  const time = new VirtualTime({ now: 1000, monotonic: 0 })
  const { clock, defer } = time
  const seen: string[] = []
  const follow = async (depth: number): Promise<void> => {
    for (let link = 0; link < 50; link++) await Promise.resolve()
    seen.push(`${depth} at ${clock.now()}`)
    if (depth < 3) defer(() => void follow(depth + 1))
    else void clock.sleep(5).then(() => seen.push(`woken at ${clock.now()}`))
  }
  void follow(1)
  await time.settle()
  expect(seen).toEqual(['1 at 1000', '2 at 1000', '3 at 1000'])
  clock.advance(5)
  await time.settle()
  expect(seen.slice(3)).toEqual(['woken at 1005'])
})
