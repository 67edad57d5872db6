import { createHash } from 'node:crypto'

const KEY_BYTES_MAX = 512
// Bytes that begin no text in UTF-8, so that no two texts share a key.
const ILL_FORMED = Buffer.from([0xff])
const LONG = Buffer.from([0xfe])

/** A text of a client's choice as the key of a row: any text has one, and none is too long for an index. */
export function keyBytes(text: string): Buffer {
  const bytes = text.isWellFormed()
    ? Buffer.from(text)
    : Buffer.concat([ILL_FORMED, Buffer.from(text, 'utf16le')])
  if (bytes.length <= KEY_BYTES_MAX) return bytes
  return Buffer.concat([LONG, createHash('sha256').update(bytes).digest()])
}

/** PostgreSQL refuses a zero in a text. None that is stored has one, so none is found by it either. */
export const askable = (text: string): string => text.replaceAll('\0', '\ufffd')
