import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'

/** A certificate for itself, made here, so that no key is in the repository and no program has to be installed. */
export function selfSigned(about: { host: Buffer | string; from?: Date; until?: Date }): {
  key: string
  cert: string
} {
  const { host, from = daysFromNow(-1), until = daysFromNow(1) } = about
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  // Two of one name would be taken for each other.
  const text = tagged(0x0c, Buffer.from(randomUUID()))
  const name = sequence(tagged(0x31, sequence(identifier([0x55, 4, 3]), text)))
  const alternative = typeof host === 'string' ? tagged(0x82, Buffer.from(host)) : tagged(0x87, host)
  const extension = sequence(identifier([0x55, 29, 17]), tagged(0x04, sequence(alternative)))
  const toBeSigned = sequence(
    tagged(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(extension)),
  )
  const signature = sign('sha256', toBeSigned, privateKey)
  const certificate = sequence(toBeSigned, ecdsaWithSha256, tagged(0x03, Buffer.from([0]), signature))
  const base64 = certificate.toString('base64').replaceAll(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  }
}

export function daysFromNow(days: number): Date {
  return new Date(Date.now() + days * 86_400_000)
}

/** One value of DER (X.690): its tag, its length, its content. */
function tagged(tag: number, ...content: Buffer[]): Buffer {
  const bytes = Buffer.concat(content)
  const { length } = bytes
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), bytes])
}

function sequence(...content: Buffer[]): Buffer {
  return tagged(0x30, ...content)
}

function integer(value: number): Buffer {
  return tagged(0x02, Buffer.from([value]))
}

function identifier(bytes: readonly number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes))
}

function time(at: Date): Buffer {
  return tagged(0x17, Buffer.from(`${at.toISOString().replaceAll(/\D/g, '').slice(2, 14)}Z`))
}

const ecdsaWithSha256 = sequence(identifier([0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2]))
