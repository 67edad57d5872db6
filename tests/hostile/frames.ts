import { encode } from '@msgpack/msgpack'
import type { Random } from '../support/random.ts'
import { hostileName, hostileValue } from './hostile-values.ts'

/** The path and the encoding of a stream. */
export type StreamKind = { readonly path: string; readonly isPacked: boolean }
export type HostileFrame = { readonly bytes: string | Buffer; readonly isBinary: boolean }
type Fields = Record<string, unknown>

const set = (fields: Fields, name: string, value: unknown): void => {
  Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true })
}

const someFields = (random: Random, names: readonly string[]): Fields => {
  const fields: Fields = {}
  for (let left = random.integer(0, 4); left > 0; left--)
    set(fields, random.chance(0.9) ? random.pick(names) : hostileName(random), hostileValue(random))
  return fields
}

const symbols = ['AAPL', '*', 'NOSUCH', 'aapl', 'BRK.B', '', 'A'.repeat(40), '💥', '__proto__']
const someSymbols = (random: Random): unknown =>
  random.chance(0.3)
    ? hostileValue(random)
    : Array.from({ length: random.integer(0, 6) }, () =>
        random.chance(0.9) ? random.pick(symbols) : hostileValue(random),
      )

/** A message of the trade-update stream, which closes the connection at any other message. */
function tradeMessage(random: Random): Fields {
  const action = random.pick(['auth', 'authenticate', 'listen', 'listen', 'unlisten'])
  const names = ['key', 'secret', 'key_id', 'secret_key', 'oauth_token', 'streams', 'data']
  const message: Fields = { action, ...someFields(random, names) }
  if (random.chance(0.7))
    set(message, 'data', random.chance(0.7) ? someFields(random, names) : hostileValue(random))
  return message
}

/** A message of the data streams, which answer a wrong message and stay open. */
function dataMessage(random: Random): Fields {
  const action = random.pick(['auth', 'subscribe', 'subscribe', 'unsubscribe', 'listen', '__proto__', 7])
  const message: Fields = { action, ...someFields(random, ['key', 'secret', 'bars', 'trades', 'oauth']) }
  for (const channel of ['bars', 'trades', 'quotes', 'dailyBars', 'statuses', 'lulds', 'news', 'orderbooks'])
    if (random.chance(0.25)) set(message, channel, someSymbols(random))
  return message
}

/** A wrong but readable message, so that the server also reads the next message. */
export function wrongFrame(random: Random, { path, isPacked }: StreamKind): HostileFrame {
  const message = path === '/stream' ? tradeMessage(random) : dataMessage(random)
  return isPacked
    ? { bytes: Buffer.from(encode(message, { ignoreUndefined: true })), isBinary: true }
    : { bytes: JSON.stringify(message), isBinary: false }
}

/** A partial message, another encoding, another type or random bytes; the server may close the connection. */
export function brokenFrame(random: Random, { path, isPacked }: StreamKind): HostileFrame {
  const isBinary = random.chance(0.5)
  const draw = random.next()
  if (draw < 0.2) return { bytes: random.bytes(random.integer(0, 400)), isBinary }
  if (draw < 0.4) return wrongFrame(random, { path, isPacked: !isPacked })
  if (draw < 0.5) return { bytes: JSON.stringify(hostileValue(random)), isBinary }
  if (draw < 0.6) return { bytes: Buffer.from(encode(hostileValue(random))), isBinary }
  const bytes = Buffer.from(wrongFrame(random, { path, isPacked }).bytes)
  if (draw < 0.8) return { bytes: bytes.subarray(0, random.integer(0, bytes.length)), isBinary }
  if (bytes.length > 0) bytes[random.integer(0, bytes.length - 1)] = random.integer(0, 255)
  return { bytes, isBinary }
}
