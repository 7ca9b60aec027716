import { writeFileSync } from 'node:fs'
import { crc32, deflateSync, inflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'

/** Pictures for README and docs, written only on request, because no two runs give the same. */
export async function pictured(page: Page, name: string): Promise<void> {
  if (process.env['RUNGS_PICTURES'] !== '1') return
  await page.evaluate('scrollTo(0, 0), document.activeElement.blur()')
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  const path = new URL(`../pictures/${name}.png`, import.meta.url)
  writeFileSync(path, withFewColours(await page.screenshot()))
}

/** Number of pixels of all canvases with this colour of the style sheet. */
export async function pixelsOf(page: Page, name: string): Promise<number> {
  return page.evaluate(`(() => {
    const style = getComputedStyle(document.documentElement)
    const wanted = parseInt(style.getPropertyValue('--${name}').trim().slice(1), 16)
    let count = 0
    for (const canvas of document.querySelectorAll('canvas')) {
      if (canvas.width === 0 || canvas.height === 0) continue
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      for (let at = 0; at < data.length; at += 4)
        if (((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]) === wanted && data[at + 3] === 255) count += 1
    }
    return count
  })()`)
}

/** Reduces a picture to 256 colours, which is a third of the size and looks the same. */
function withFewColours(png: Buffer): Buffer {
  const { width, height, channels, rows } = decoded(png)
  const counts = new Map<number, number>()
  const pixels: number[] = []
  for (const row of rows) {
    for (let at = 0; at < row.length; at += channels) {
      const colour = ((row[at] ?? 0) << 16) | ((row[at + 1] ?? 0) << 8) | (row[at + 2] ?? 0)
      pixels.push(colour)
      counts.set(colour, (counts.get(colour) ?? 0) + 1)
    }
  }
  const palette = [...counts].sort(([, one], [, other]) => other - one).slice(0, 256)
  const kept = palette.map(([colour]) => colour)
  const places = new Map([...counts.keys()].map((colour) => [colour, nearest(kept, colour)]))
  const lines = Buffer.alloc((width + 1) * height)
  for (const [index, colour] of pixels.entries()) {
    const [y, x] = [Math.floor(index / width), index % width]
    lines[y * (width + 1) + 1 + x] = places.get(colour) ?? 0
  }
  const head = Buffer.from(png.subarray(16, 29))
  // Eight bits: an index into the palette.
  head.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(kept.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Pixel rows of a browser's PNG: eight bits for each of three or four channels. */
function decoded(png: Buffer) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const channels = png[25] === 6 ? 4 : 3
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  const bytes = inflateSync(Buffer.concat(parts))
  const rows: Uint8Array[] = []
  let above = new Uint8Array(width * channels)
  for (let y = 0; y < height; y += 1) {
    const start = y * (width * channels + 1)
    const row = new Uint8Array(bytes.subarray(start + 1, start + 1 + width * channels))
    for (let at = 0; at < row.length; at += 1) {
      const [left, up, corner] = [row[at - channels] ?? 0, above[at] ?? 0, above[at - channels] ?? 0]
      row[at] = (row[at] ?? 0) + foretold(bytes[start] ?? 0, left, up, corner)
    }
    rows.push(row)
    above = row
  }
  return { width, height, channels, rows }
}

/** Prediction of a byte by the row's filter. */
function foretold(filter: number, left: number, up: number, corner: number): number {
  if (filter < 3) return filter === 0 ? 0 : filter === 1 ? left : up
  if (filter === 3) return (left + up) >> 1
  const guess = left + up - corner
  const [toLeft, toUp, toCorner] = [left, up, corner].map((value) => Math.abs(guess - value))
  if (toLeft! <= toUp! && toLeft! <= toCorner!) return left
  return toUp! <= toCorner! ? up : corner
}

function nearest(palette: readonly number[], colour: number): number {
  let [best, least] = [0, Infinity]
  for (const [index, other] of palette.entries()) {
    const [red, green, blue] = [16, 8, 0].map((bits) => ((colour >> bits) & 255) - ((other >> bits) & 255))
    const distance = red! ** 2 + green! ** 2 + blue! ** 2
    if (distance < least) [best, least] = [index, distance]
  }
  return best
}

function chunk(type: string, data: Buffer): Buffer {
  const inside = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(inside))
  return Buffer.concat([length, inside, sum])
}
