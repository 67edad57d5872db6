import { type Encodable, encodeMessagePack } from './msgpack-encode.ts'

/** How a connection is spoken to; decided once, by its handshake. */
export type Codec = 'jsonInText' | 'jsonInBinary' | 'messagePack'

type Kind = 'text' | 'binary' | 'ping' | 'pong'

const opcodes: Record<Kind, number> = { text: 0x1, binary: 0x2, ping: 0x9, pong: 0xa }
const FINAL = 0x80
const LENGTH_IN_TWO = 126
const LENGTH_IN_EIGHT = 127

/** A whole WebSocket frame as a server sends it: final and unmasked. */
export function frameOf(kind: Kind, payload: Buffer): Buffer {
  const [frame, start] = begun(kind, payload.length)
  payload.copy(frame, start)
  return frame
}

function frameOfText(kind: Kind, text: string): Buffer {
  const [frame, start] = begun(kind, Buffer.byteLength(text))
  frame.write(text, start)
  return frame
}

/** A frame without its payload, and where that begins. */
function begun(kind: Kind, length: number): [frame: Buffer, start: number] {
  const headerBytes = length < LENGTH_IN_TWO ? 2 : length < 0x1_0000 ? 4 : 10
  const frame = Buffer.allocUnsafe(headerBytes + length)
  frame[0] = FINAL | opcodes[kind]
  if (headerBytes === 2) frame[1] = length
  else if (headerBytes === 4) {
    frame[1] = LENGTH_IN_TWO
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = LENGTH_IN_EIGHT
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  return [frame, headerBytes]
}

/**
 * Something said to any number of clients: written out once per codec, when the first one needs it. Whoever has its
 * JSON already gives it along, and the value is then only made for MessagePack.
 */
export class Message {
  readonly #value: object | (() => object)
  readonly #json: string | undefined
  readonly #frames: { [codec in Codec]?: Buffer } = {}

  constructor(value: object | (() => object), json?: string) {
    this.#value = value
    this.#json = json
  }

  frame(codec: Codec): Buffer {
    return (this.#frames[codec] ??= this.#written(codec))
  }

  #written(codec: Codec): Buffer {
    if (codec === 'messagePack') return frameOf('binary', encodeMessagePack(this.#made() as Encodable))
    return frameOfText(codec === 'jsonInText' ? 'text' : 'binary', this.#json ?? JSON.stringify(this.#made()))
  }

  #made(): object {
    return typeof this.#value === 'function' ? this.#value() : this.#value
  }
}
