import { createHash } from 'node:crypto'

const KEY_BYTES_MAX = 512
// Bytes that no UTF-8 text starts with, so that no two texts share a key.
const ILL_FORMED = Buffer.from([0xff])
const LONG = Buffer.from([0xfe])

/** A client-chosen text as a row key. Every text has one, and long texts are hashed to fit an index. */
export function keyBytes(text: string): Buffer {
  const bytes = text.isWellFormed()
    ? Buffer.from(text)
    : Buffer.concat([ILL_FORMED, Buffer.from(text, 'utf16le')])
  if (bytes.length <= KEY_BYTES_MAX) return bytes
  return Buffer.concat([LONG, createHash('sha256').update(bytes).digest()])
}

/** PostgreSQL rejects text with a NUL character. No stored text has one, so the replacement finds nothing. */
export const withoutNul = (text: string): string => text.replaceAll('\0', '\ufffd')
