const DIGITS = '0123456789abcdef'
/** The character codes of the digits, and the values of the codes; 255 for other characters. */
const CODES = Uint8Array.from(DIGITS, (digit) => digit.charCodeAt(0))
const NO_VALUE = 0xff
const VALUES = new Uint8Array(256).fill(NO_VALUE)
for (const [value, code] of CODES.entries()) VALUES[code] = value
const VALUE_MAX = 15

/** The length in bytes of the longest text that is stored as bytes: a SHA-512. */
export const HEX_BYTES_MAX = 64
export const UUID_BYTES = 16
/** Where the digits of each byte are in a text: one after the other, and with the hyphens of a UUID. */
const PLAIN_OFFSETS = Array.from({ length: HEX_BYTES_MAX }, (_, byte) => 2 * byte)
const UUID_OFFSETS = PLAIN_OFFSETS.slice(0, UUID_BYTES).map(
  (offset, byte) => offset + [4, 6, 8, 10].filter((group) => byte >= group).length,
)
const UUID_LENGTH = 36
const HYPHEN = 0x2d

/** Writes a UUID in lower case as 16 bytes; returns whether the text is one. */
export const writeUuid = (text: string, bytes: Buffer, at: number): boolean =>
  text.length === UUID_LENGTH &&
  text.charCodeAt(8) === HYPHEN &&
  text.charCodeAt(13) === HYPHEN &&
  text.charCodeAt(18) === HYPHEN &&
  text.charCodeAt(23) === HYPHEN &&
  write(text, UUID_OFFSETS, UUID_BYTES, bytes, at)

/** Writes pairs of hexadecimal digits in lower case; returns whether the text consists of them. */
export const writeHex = (text: string, bytes: Buffer, at: number): boolean =>
  text.length % 2 === 0 &&
  text.length <= 2 * HEX_BYTES_MAX &&
  write(text, PLAIN_OFFSETS, text.length / 2, bytes, at)

function write(text: string, offsets: readonly number[], count: number, bytes: Buffer, at: number): boolean {
  let codes = 0
  let values = 0
  for (let index = 0; index < count; index++) {
    const offset = offsets[index]!
    const high = text.charCodeAt(offset)
    const low = text.charCodeAt(offset + 1)
    codes |= high | low
    const first = VALUES[high & 0xff] ?? NO_VALUE
    const second = VALUES[low & 0xff] ?? NO_VALUE
    values |= first | second
    bytes[at + index] = (first << 4) | second
  }
  return codes <= 0xff && values <= VALUE_MAX
}

const uuidText = Buffer.from('00000000-0000-0000-0000-000000000000')

/** The inverse of `writeUuid`. Measured: half the time of `toString('hex')` and four slices. */
export function readUuid(bytes: Buffer, at: number): string {
  for (let index = 0; index < UUID_BYTES; index++) {
    const byte = bytes[at + index]!
    const offset = UUID_OFFSETS[index]!
    uuidText[offset] = CODES[byte >> 4] ?? HYPHEN
    uuidText[offset + 1] = CODES[byte & VALUE_MAX] ?? HYPHEN
  }
  return uuidText.toString('latin1')
}
