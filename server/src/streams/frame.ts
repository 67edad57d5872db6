import { decodeMessagePack, encodeMessagePack } from './msgpack.ts'

/** The encoding of a connection, chosen once in the handshake. */
export type FrameCodec = 'jsonInText' | 'jsonInBinary' | 'messagePack'

/** The message in the bytes of a frame; undefined if it is neither JSON nor MessagePack. */
export function messageIn(codec: FrameCodec, data: Buffer, isBinary: boolean): unknown {
  try {
    return isBinary && codec === 'messagePack' ? decodeMessagePack(data) : JSON.parse(data.toString())
  } catch {
    return undefined
  }
}

type Kind = 'text' | 'binary' | 'ping' | 'pong'

const opcodes: Record<Kind, number> = { text: 0x1, binary: 0x2, ping: 0x9, pong: 0xa }
const FINAL = 0x80
const LENGTH_IN_TWO = 126
const LENGTH_IN_EIGHT = 127

/** A complete WebSocket frame of a server: final and unmasked. */
export function frameOf(kind: Kind, payload: Uint8Array): Buffer {
  const [frame, start] = allocateFrame(kind, payload.length)
  frame.set(payload, start)
  return frame
}

function frameOfText(kind: Kind, text: string): Buffer {
  const [frame, start] = allocateFrame(kind, Buffer.byteLength(text))
  frame.write(text, start)
  return frame
}

/** A frame with its header, and the offset of the payload. */
function allocateFrame(kind: Kind, length: number): [frame: Buffer, start: number] {
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

export const PING = frameOf('ping', Buffer.alloc(0))

/**
 * A message to any number of clients, encoded once per codec on first use. If the JSON text is already known, the value
 * is only built for MessagePack.
 */
export class Message {
  readonly #value: object | (() => object)
  readonly #json: string | undefined
  readonly #frames: { [codec in FrameCodec]?: Buffer } = {}

  constructor(value: object | (() => object), json?: string) {
    this.#value = value
    this.#json = json
  }

  frame(codec: FrameCodec): Buffer {
    return (this.#frames[codec] ??= this.#encode(codec))
  }

  #encode(codec: FrameCodec): Buffer {
    if (codec === 'messagePack') return frameOf('binary', encodeMessagePack(this.#resolveValue()))
    return frameOfText(
      codec === 'jsonInText' ? 'text' : 'binary',
      this.#json ?? JSON.stringify(this.#resolveValue()),
    )
  }

  #resolveValue(): object {
    return typeof this.#value === 'function' ? this.#value() : this.#value
  }
}
