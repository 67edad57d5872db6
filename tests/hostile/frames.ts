import { encode } from '@msgpack/msgpack'
import type { Dice } from '../dice.ts'
import { nastyName, nastyValue } from './nasty.ts'

const actions = [
  'auth',
  'authenticate',
  'listen',
  'unlisten',
  'subscribe',
  'unsubscribe',
  '__proto__',
  7,
] as const

function nastyMessage(dice: Dice): unknown {
  const message: Record<string, unknown> = { action: dice.pick(actions) }
  for (let field = dice.whole(0, 4); field > 0; field--) {
    const name = dice.pick(['key', 'secret', 'data', 'bars', 'trades', 'quotes', 'streams', nastyName(dice)])
    const value = dice.isLucky(0.3)
      ? { streams: nastyValue(dice), key_id: nastyValue(dice) }
      : nastyValue(dice)
    Object.defineProperty(message, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return dice.isLucky(0.1) ? nastyValue(dice) : message
}

/** What a client may put into one frame: a wrong message, half a message, or none at all. */
export function nastyFrame(dice: Dice): string | Buffer {
  const luck = dice.next()
  if (luck < 0.15) return dice.bytes(dice.whole(0, 400))
  const message = nastyMessage(dice)
  if (luck < 0.6) return JSON.stringify(message)
  const packed = Buffer.from(encode(message, { ignoreUndefined: true }))
  if (luck < 0.7) return packed.subarray(0, dice.whole(0, packed.length))
  if (luck < 0.8 && packed.length > 0) packed[dice.whole(0, packed.length - 1)] = dice.whole(0, 255)
  return packed
}
