import { crc32, deflateRawSync } from 'node:zlib'

/** A zip archive, written by the format's own description. */
export function zipOf(
  files: readonly { name: string; text: string; isPacked?: boolean }[],
  isStreamed = false,
): Buffer {
  const parts: Buffer[] = []
  const entries: Buffer[] = []
  let at = 0
  for (const { name, text, isPacked = true } of files) {
    const [whole, title] = [Buffer.from(text), Buffer.from(name)]
    const bytes = isPacked ? deflateRawSync(whole) : whole
    const about = Buffer.alloc(26)
    about.writeUInt16LE(20, 0)
    about.writeUInt16LE(isStreamed ? 8 : 0, 2)
    about.writeUInt16LE(isPacked ? 8 : 0, 4)
    about.writeUInt32LE(crc32(whole), 10)
    about.writeUInt32LE(bytes.length, 14)
    about.writeUInt32LE(whole.length, 18)
    about.writeUInt16LE(title.length, 22)
    const local = Buffer.from(about)
    // A streamed archive tells the sizes behind the data.
    if (isStreamed) local.fill(0, 10, 22)
    const behind = isStreamed
      ? Buffer.concat([Buffer.from('PK\u0007\u0008', 'latin1'), about.subarray(10, 22)])
      : Buffer.alloc(0)
    parts.push(Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), local, title, bytes, behind]))
    const more = Buffer.alloc(14)
    more.writeUInt32LE(at, 10)
    entries.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), about, more, title]))
    at += parts.at(-1)?.length ?? 0
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(Buffer.concat(entries).length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...parts, ...entries, Buffer.from('PK\u0005\u0006', 'latin1'), end])
}
