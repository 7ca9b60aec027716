import { zstdDecompressSync } from 'node:zlib'

/** What a byte that was written may look like, by code of our own: none of it is shared with the program. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  // Three bytes become four letters. Letters that also hold bits of a neighbour are left out.
  const base64 = [0, 1, 2].map((before) => {
    const letters = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return letters.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  const percents = hex.replaceAll(/../g, '%$&')
  const inJson = JSON.stringify(secret).slice(1, -1)
  return [
    secret,
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    encodeURIComponent(secret),
    ...base64,
    ...base64.map((letters) => letters.replaceAll('+', '-').replaceAll('/', '_')),
    ...[hex, percents].flatMap((text) => [text, text.toUpperCase()]),
  ]
}

/** Finds each of these secrets in bytes, in raw, base64 (3 alignments), hex, percent-encoded and JSON-escaped form. */
export function searchFor(secrets: readonly string[]): (bytes: Uint8Array) => string[] {
  const forms = secrets.flatMap((secret) => [...new Set(formsOf(secret))].map((form) => ({ secret, form })))
  const any = new RegExp(forms.map(({ form }) => RegExp.escape(form)).join('|'))
  return (bytes) => {
    const text = unpacked(bytes).toString('latin1')
    if (!any.test(text)) return []
    return [...new Set(forms.filter(({ form }) => text.includes(form)).map(({ secret }) => secret))]
  }
}

const zstdMark = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

function unpacked(bytes: Uint8Array): Buffer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.subarray(0, zstdMark.length).equals(zstdMark) ? zstdDecompressSync(buffer) : buffer
}
