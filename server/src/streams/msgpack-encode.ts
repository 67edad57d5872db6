import {
  decodeTimestampExtension,
  Encoder,
  EXT_TIMESTAMP,
  ExtensionCodec,
  encodeTimeSpecToTimestamp,
} from '@msgpack/msgpack'
import { epochSeconds, type Instant, SECOND } from '@quipu/core'
import { Timestamp } from './timestamp.ts'

const extensionCodec = new ExtensionCodec()
extensionCodec.register({
  type: EXT_TIMESTAMP,
  encode: (value) => (value instanceof Timestamp ? timestampBytes(value.at) : null),
  decode: decodeTimestampExtension,
})
const encoder = new Encoder({ extensionCodec, ignoreUndefined: true })

/**
 * Encodes MessagePack as the clients of the protocol expect it: the shortest form of every integer, because some clients
 * read a 64-bit integer as another type; doubles only for non-integers; keys in insertion order.
 */
export const encodeMessagePack = (value: unknown): Uint8Array => encoder.encode(value)

/** Exact to the nanosecond, which a Date is not. */
function timestampBytes(at: Instant): Uint8Array {
  const sec = epochSeconds(at)
  return encodeTimeSpecToTimestamp({ sec, nsec: Number(at - BigInt(sec) * SECOND) })
}
