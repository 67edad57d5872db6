import { encode } from '@msgpack/msgpack'
import type { Dice } from '../random.ts'
import { nastyName, nastyValue } from './nasty.ts'

/** A stream as its client chose it: where, and in which encoding. */
export type Spoken = { readonly path: string; readonly isPacked: boolean }
export type HostileFrame = { readonly bytes: string | Buffer; readonly isBinary: boolean }
type Fields = Record<string, unknown>

const set = (fields: Fields, name: string, value: unknown): void => {
  Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true })
}

const some = (dice: Dice, names: readonly string[]): Fields => {
  const fields: Fields = {}
  for (let left = dice.whole(0, 4); left > 0; left--)
    set(fields, dice.isLucky(0.9) ? dice.pick(names) : nastyName(dice), nastyValue(dice))
  return fields
}

const symbols = ['AAPL', '*', 'NOSUCH', 'aapl', 'BRK.B', '', 'A'.repeat(40), '💥', '__proto__']
const someSymbols = (dice: Dice): unknown =>
  dice.isLucky(0.3)
    ? nastyValue(dice)
    : Array.from({ length: dice.whole(0, 6) }, () =>
        dice.isLucky(0.9) ? dice.pick(symbols) : nastyValue(dice),
      )

/** In the words of the stream of orders: of any other it hangs up at once. */
function tradeMessage(dice: Dice): Fields {
  const action = dice.pick(['auth', 'authenticate', 'listen', 'listen', 'unlisten'])
  const names = ['key', 'secret', 'key_id', 'secret_key', 'oauth_token', 'streams', 'data']
  const message: Fields = { action, ...some(dice, names) }
  if (dice.isLucky(0.7)) set(message, 'data', dice.isLucky(0.7) ? some(dice, names) : nastyValue(dice))
  return message
}

/** In the words of the streams of prices: a wrong one is answered, and the stream goes on. */
function dataMessage(dice: Dice): Fields {
  const action = dice.pick(['auth', 'subscribe', 'subscribe', 'unsubscribe', 'listen', '__proto__', 7])
  const message: Fields = { action, ...some(dice, ['key', 'secret', 'bars', 'trades', 'oauth']) }
  for (const channel of ['bars', 'trades', 'quotes', 'dailyBars', 'statuses', 'lulds', 'news', 'orderbooks'])
    if (dice.isLucky(0.25)) set(message, channel, someSymbols(dice))
  return message
}

/** A wrong message that is readable, so that all that follows it is looked at too. */
export function wrongFrame(dice: Dice, { path, isPacked }: Spoken): HostileFrame {
  const message = path === '/stream' ? tradeMessage(dice) : dataMessage(dice)
  return isPacked
    ? { bytes: Buffer.from(encode(message, { ignoreUndefined: true })), isBinary: true }
    : { bytes: JSON.stringify(message), isBinary: false }
}

/** Half a message, one in another encoding or of another kind, or none at all: it may well be the last. */
export function brokenFrame(dice: Dice, { path, isPacked }: Spoken): HostileFrame {
  const isBinary = dice.isLucky(0.5)
  const luck = dice.next()
  if (luck < 0.2) return { bytes: dice.bytes(dice.whole(0, 400)), isBinary }
  if (luck < 0.4) return wrongFrame(dice, { path, isPacked: !isPacked })
  if (luck < 0.5) return { bytes: JSON.stringify(nastyValue(dice)), isBinary }
  if (luck < 0.6) return { bytes: Buffer.from(encode(nastyValue(dice))), isBinary }
  const bytes = Buffer.from(wrongFrame(dice, { path, isPacked }).bytes)
  if (luck < 0.8) return { bytes: bytes.subarray(0, dice.whole(0, bytes.length)), isBinary }
  if (bytes.length > 0) bytes[dice.whole(0, bytes.length - 1)] = dice.whole(0, 255)
  return { bytes, isBinary }
}
