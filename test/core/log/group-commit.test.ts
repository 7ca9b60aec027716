import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { GroupCommit } from '#src/core/log/group-commit.ts'

/** A log that lists what reaches its disk. `pass` lets the time of a group pass. */
function listingLog() {
  const list: string[] = []
  const scheduled = new Set<() => void>()
  const disk: { fault: Error | undefined } = { fault: undefined }
  const group = new GroupCommit({
    begin: () => void list.push('begin'),
    end: () => {
      if (disk.fault) throw disk.fault
      list.push('end')
    },
    errorOf: (cause) => new Error('the log failed', { cause }),
    later: (act) => {
      scheduled.add(act)
      return () => void scheduled.delete(act)
    },
  })
  const pass = () => {
    for (const act of scheduled) act()
  }
  const write = (text: string) => group.write(() => void list.push(text))
  return { group, list, scheduled, disk, pass, write }
}

/** Whether a promise has been kept so far. */
async function isKept(promise: Promise<void>): Promise<boolean> {
  let kept = false
  void promise.then(() => (kept = true))
  await nextTurn()
  return kept
}

test('the first write begins a group, and a commit ends it once', () => {
  const { group, list, scheduled, write } = listingLog()
  group.commit()
  write('one')
  write('two')
  expect(scheduled.size).toBe(1)
  group.commit()
  group.commit()
  expect(list).toEqual(['begin', 'one', 'two', 'end'])
  expect(scheduled.size).toBe(0)
  write('three')
  group.commit()
  expect(list.slice(4)).toEqual(['begin', 'three', 'end'])
  expect(group.hasReported).toBe(false)
})

test('a group ends at its time without a commit', () => {
  const { group, list, pass, write } = listingLog()
  write('one')
  pass()
  group.commit()
  expect(list).toEqual(['begin', 'one', 'end'])
})

test('a group may begin before its first write', () => {
  const { group, list, write } = listingLog()
  group.open()
  group.open()
  write('one')
  expect(list).toEqual(['begin', 'one'])
})

test('without a time of its own a group ends in the next turn of the event loop, unless that is cancelled', async () => {
  let ends = 0
  const group = new GroupCommit({ end: () => (ends += 1), errorOf: (cause) => cause })
  group.write(() => {})
  expect(ends).toBe(0)
  await nextTurn()
  expect(ends).toBe(1)
  group.write(() => {})
  group.cancel()
  await nextTurn()
  expect(ends).toBe(1)
})

test('a cancelled group does not end by itself', () => {
  const { group, scheduled, write } = listingLog()
  group.cancel()
  write('one')
  group.cancel()
  expect(scheduled.size).toBe(0)
})

test('each caller that waits for a group gets the result once the group is durable, and not before', async () => {
  const { group, pass, write } = listingLog()
  await group.committed()
  for (const end of [() => group.commit(), pass]) {
    write('one')
    const waiting = [group.committed(), group.committed()]
    expect(await Promise.all(waiting.map(isKept))).toEqual([false, false])
    end()
    expect(await Promise.all(waiting.map(isKept))).toEqual([true, true])
  }
})

test('a write that fails ends the log: every later call throws its error, and nothing is written', async () => {
  const { group, list, write } = listingLog()
  const cause = new Error('no space')
  const expected = expect.objectContaining({ message: 'the log failed', cause })
  const fail = () => {
    throw cause
  }
  expect(() => group.write(fail)).toThrow(expected)
  expect(group.hasReported).toBe(true)
  expect(() => write('one')).toThrow(expected)
  expect(() => group.commit()).toThrow(expected)
  await expect(group.committed()).rejects.toEqual(expected)
  expect(list).toEqual(['begin'])
})

test('a log that has failed begins no group', () => {
  const { group, list } = listingLog()
  group.fail(new Error('a fault'))
  group.open()
  expect(list).toEqual([])
})

test('a commit that fails ends the log, and each caller that waits for the group gets the error', async () => {
  const { group, disk, write } = listingLog()
  write('one')
  const waiting = group.committed()
  disk.fault = new Error('no space')
  const expected = expect.objectContaining({ message: 'the log failed', cause: disk.fault })
  expect(() => group.commit()).toThrow(expected)
  await expect(waiting).rejects.toEqual(expected)
  disk.fault = undefined
  expect(() => write('two')).toThrow(expected)
  expect(group.hasReported).toBe(true)
})

test('a group that fails at its time is reported to those who wait for it', async () => {
  const { group, disk, pass, write } = listingLog()
  write('one')
  const waiting = group.committed()
  disk.fault = new Error('no space')
  pass()
  expect(group.hasReported).toBe(true)
  await expect(waiting).rejects.toThrow('the log failed')
})

test('the next call reports a group that failed at its time without a waiting caller', async () => {
  const { group, disk, pass, write } = listingLog()
  write('one')
  const earlier = group.committed()
  group.commit()
  await earlier
  write('two')
  disk.fault = new Error('no space')
  pass()
  expect(group.hasReported).toBe(false)
  expect(() => group.commit()).toThrow(expect.objectContaining({ cause: disk.fault }))
  expect(group.hasReported).toBe(true)
})

test('a log that is ended writes nothing more, and throws the first error that ended it', () => {
  const { group, list, write } = listingLog()
  write('one')
  const first = new Error('a fault')
  group.fail(first)
  group.fail(new Error('another fault'))
  expect(group.hasReported).toBe(true)
  expect(() => group.commit()).toThrow(first)
  expect(list).toEqual(['begin', 'one'])
})

test('a log that its caller has ended stays so when the time of its group comes', () => {
  const { group, list, pass, write } = listingLog()
  write('one')
  group.fail(new Error('ended'))
  pass()
  expect(group.hasReported).toBe(true)
  expect(list).toEqual(['begin', 'one'])
})
