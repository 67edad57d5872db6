import { encode } from '@msgpack/msgpack'
import type { Random } from '../random.ts'
import { nastyName, nastyValue } from './nasty.ts'

/** A stream as its client chose it: where, and in which encoding. */
export type Spoken = { readonly path: string; readonly isPacked: boolean }
export type HostileFrame = { readonly bytes: string | Buffer; readonly isBinary: boolean }
type Fields = Record<string, unknown>

const set = (fields: Fields, name: string, value: unknown): void => {
  Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true })
}

const some = (random: Random, names: readonly string[]): Fields => {
  const fields: Fields = {}
  for (let left = random.integer(0, 4); left > 0; left--)
    set(fields, random.chance(0.9) ? random.pick(names) : nastyName(random), nastyValue(random))
  return fields
}

const symbols = ['AAPL', '*', 'NOSUCH', 'aapl', 'BRK.B', '', 'A'.repeat(40), '💥', '__proto__']
const someSymbols = (random: Random): unknown =>
  random.chance(0.3)
    ? nastyValue(random)
    : Array.from({ length: random.integer(0, 6) }, () =>
        random.chance(0.9) ? random.pick(symbols) : nastyValue(random),
      )

/** In the words of the stream of orders: of any other it hangs up at once. */
function tradeMessage(random: Random): Fields {
  const action = random.pick(['auth', 'authenticate', 'listen', 'listen', 'unlisten'])
  const names = ['key', 'secret', 'key_id', 'secret_key', 'oauth_token', 'streams', 'data']
  const message: Fields = { action, ...some(random, names) }
  if (random.chance(0.7)) set(message, 'data', random.chance(0.7) ? some(random, names) : nastyValue(random))
  return message
}

/** In the words of the streams of prices: a wrong one is answered, and the stream goes on. */
function dataMessage(random: Random): Fields {
  const action = random.pick(['auth', 'subscribe', 'subscribe', 'unsubscribe', 'listen', '__proto__', 7])
  const message: Fields = { action, ...some(random, ['key', 'secret', 'bars', 'trades', 'oauth']) }
  for (const channel of ['bars', 'trades', 'quotes', 'dailyBars', 'statuses', 'lulds', 'news', 'orderbooks'])
    if (random.chance(0.25)) set(message, channel, someSymbols(random))
  return message
}

/** A wrong message that is readable, so that all that follows it is looked at too. */
export function wrongFrame(random: Random, { path, isPacked }: Spoken): HostileFrame {
  const message = path === '/stream' ? tradeMessage(random) : dataMessage(random)
  return isPacked
    ? { bytes: Buffer.from(encode(message, { ignoreUndefined: true })), isBinary: true }
    : { bytes: JSON.stringify(message), isBinary: false }
}

/** Half a message, one in another encoding or of another kind, or none at all: it may well be the last. */
export function brokenFrame(random: Random, { path, isPacked }: Spoken): HostileFrame {
  const isBinary = random.chance(0.5)
  const luck = random.next()
  if (luck < 0.2) return { bytes: random.bytes(random.integer(0, 400)), isBinary }
  if (luck < 0.4) return wrongFrame(random, { path, isPacked: !isPacked })
  if (luck < 0.5) return { bytes: JSON.stringify(nastyValue(random)), isBinary }
  if (luck < 0.6) return { bytes: Buffer.from(encode(nastyValue(random))), isBinary }
  const bytes = Buffer.from(wrongFrame(random, { path, isPacked }).bytes)
  if (luck < 0.8) return { bytes: bytes.subarray(0, random.integer(0, bytes.length)), isBinary }
  if (bytes.length > 0) bytes[random.integer(0, bytes.length - 1)] = random.integer(0, 255)
  return { bytes, isBinary }
}
