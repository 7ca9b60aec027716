import type { Chance } from './chance.ts'
import { hostileValue, nested } from './hostile-values.ts'

type Place = { holder: Record<string, unknown>; key: string }

/** Every field at any depth, arrays included. */
function placesIn(value: unknown): Place[] {
  if (!isHolder(value)) return []
  return Object.keys(value).flatMap((key) => [{ holder: value, key }].concat(placesIn(value[key])))
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Like JSON.parse: a field named `__proto__` is an ordinary field. */
function put(holder: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
}

/** Makes one defect in a correct body; `body` is changed in place. */
export function spoil(body: Record<string, unknown>, chance: Chance): void {
  const places = placesIn(body)
  const { holder, key } = places.length === 0 ? { holder: body, key: 'x' } : chance.oneOf(places)
  switch (chance.below(9)) {
    case 0:
      delete holder[key]
      break
    case 1:
      holder[
        chance.oneOf([
          'unknown',
          'Amount',
          'limit ',
          'orderId',
          'clientOrderId',
          'constructor',
          'toString',
          '',
          '0',
          'é',
        ])
      ] = hostileValue(chance)
      break
    case 2:
      put(holder, '__proto__', hostileValue(chance))
      break
    case 3:
      put(holder, key, [holder[key]])
      break
    case 4:
      put(holder, key, { [key]: holder[key] })
      break
    case 5: {
      const value = holder[key]
      if (Array.isArray(value))
        holder[key] = chance.percent(50)
          ? []
          : Array.from({ length: chance.oneOf([2, 21, 300]) }, () => value[0])
      else put(holder, key, JSON.stringify(value))
      break
    }
    default:
      put(holder, key, hostileValue(chance))
  }
}

/** Makes one defect in the text itself. */
export function spoilText(text: string, chance: Chance): Buffer {
  const at = chance.below(text.length + 1)
  switch (chance.below(14)) {
    case 0:
      return Buffer.from(text.slice(0, at))
    case 1:
      return Buffer.from(
        text.slice(0, at) +
          chance.oneOf(['"', '{', '}', '[', ']', ',', ':', '\n', '\0', '\u2028']) +
          text.slice(at),
      )
    case 2:
      return Buffer.from(`\ufeff${text}`)
    case 3:
      return Buffer.from(text.replace('}', ',}'))
    case 4:
      return Buffer.from(text.replaceAll('"', "'"))
    case 5:
      return Buffer.concat([
        Buffer.from(text.slice(0, at)),
        Buffer.from([chance.oneOf([0x80, 0xc0, 0xff, 0xed, 0xf5])]),
        Buffer.from(text.slice(at)),
      ])
    case 6:
      return Buffer.from(
        chance.oneOf(['', ' ', 'null', '[]', '"x"', '1', 'true', '{}', '[{}]', '{"a":', 'NaN', '\0']),
      )
    case 7:
      return Buffer.from(`${text}${text}`)
    case 8:
      return Buffer.from(text, 'utf16le')
    case 9:
      return Buffer.from(`${' '.repeat(chance.oneOf([1, 1000, 66_000]))}${text}`)
    case 10:
      return Buffer.from(`[${text}]`)
    case 11:
      return Buffer.from(text.replace('{', '{"nonce":"1","nonce":"2",'))
    case 12:
      return Buffer.from(
        text.replace('{', `{"${chance.oneOf(['clientOrderId', 'transactionId', 'x'])}":${nested(chance)},`),
      )
    default:
      return Buffer.from(`${text} // the end`)
  }
}
