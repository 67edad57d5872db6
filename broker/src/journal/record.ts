import { crc32 } from 'node:zlib'
import { type Entry, type EventGroup, entriesOf } from './group.ts'
import { JournalNewer } from './journal.ts'

/** The format that this version writes. */
export const FORMAT = 1

export const RECORD_MARK = '\x1equipu '
const FILE_MARK = '\x1ejournal '
const NEWLINE = 0x0a
/** Maximum length of a header. */
export const HEADER_BYTES_MAX = 256

/** The header before the events of a group. */
export type RecordHeader = {
  readonly bytes: number
  readonly first: number
  readonly count: number
  readonly openBytes: number
  readonly sealedBytes: number
  readonly checksum: string
}

/** The header of a file: the number before its first event, and the seed of its hash segment. */
export type FileHeader = { readonly bytes: number; readonly after: number; readonly seed: string }

type Reader = {
  readonly record: (fields: readonly string[], bytes: number) => RecordHeader
  readonly file: (fields: readonly string[], bytes: number) => FileHeader
}

/** The reader of each format. A released format never changes: a change is a new row. */
const readers: Readonly<Record<number, Reader>> = {
  1: {
    record: ([first, count, openBytes, sealedBytes, checksum], bytes) => ({
      bytes,
      first: Number(first),
      count: Number(count),
      openBytes: Number(openBytes),
      sealedBytes: Number(sealedBytes),
      checksum: checksum!,
    }),
    file: ([after, seed], bytes) => ({ bytes, after: Number(after), seed: seed! }),
  },
}

/**
 * The bytes of a group in a file, and the hashed part of them. Both use the group's buffer and are valid until the
 * group is cleared. Measured with 340 kB: 0.04 ms; 0.4 ms with new buffers for the lines and the record.
 */
export function recordOf(
  first: number,
  group: EventGroup,
): { readonly bytes: Buffer; readonly open: Buffer } {
  const { bytes, sealedBytes } = group.record(RECORD_HEADER_BYTES)
  const open = group.open()
  const checksum = crc32(bytes.subarray(RECORD_HEADER_BYTES))
  bytes.write(recordHeader(first, group.count, open.length, sealedBytes, checksum), 'latin1')
  return { bytes, open }
}

const recordHeader = (
  first: number,
  count: number,
  openBytes: number,
  sealedBytes: number,
  checksum: number,
): string =>
  headerLine(
    `${RECORD_MARK}${digits(FORMAT, 4)} ${digits(first, 16)} ${digits(count, 8)} ` +
      `${digits(openBytes, 10)} ${digits(sealedBytes, 10)} ${hex(checksum)}`,
  )

/** The header of a record, if it is sound. */
export function parseRecordHeader(bytes: Buffer, file: string): RecordHeader | undefined {
  const line = parseLine(bytes, RECORD_MARK, file)
  return line?.reader.record(line.fields, line.bytes)
}

export function encodeFileHeader(after: number, seed: Buffer): Buffer {
  return Buffer.from(
    headerLine(`${FILE_MARK}${digits(FORMAT, 4)} ${digits(after, 16)} ${seed.toString('hex')}`),
  )
}

/** The header of a file, if it is sound. */
export function parseFileHeader(bytes: Buffer, file: string): FileHeader | undefined {
  const line = parseLine(bytes, FILE_MARK, file)
  return line?.reader.file(line.fields, line.bytes)
}

/** Length of a record header in the current format. */
export const RECORD_HEADER_BYTES = recordHeader(1, 0, 0, 0, 0).length

/** The length of the record after its header: the parts and the newline. */
export const payloadBytes = ({ openBytes, sealedBytes }: RecordHeader): number => openBytes + sealedBytes + 1

export const isSound = (header: RecordHeader, payload: Buffer): boolean =>
  payload.length === payloadBytes(header) && hex(crc32(payload)) === header.checksum

/** The events of a sound record. */
export const entriesIn = (
  { openBytes, sealedBytes, count }: RecordHeader,
  payload: Buffer,
): readonly Entry[] =>
  entriesOf({
    open: payload.subarray(0, openBytes),
    sealed: payload.subarray(openBytes, openBytes + sealedBytes),
    count,
  })

function headerLine(text: string): string {
  return `${text} ${hex(crc32(text))}\n`
}

// Every format has a mark, the version, fields, a checksum of all that, and a newline. So a newer format can be
// distinguished from a damaged header.
function parseLine(bytes: Buffer, mark: string, file: string) {
  const end = bytes.subarray(0, HEADER_BYTES_MAX).indexOf(NEWLINE)
  if (end < 0 || bytes.toString('latin1', 0, mark.length) !== mark) return undefined
  const text = bytes.toString('latin1', 0, end)
  const space = text.lastIndexOf(' ')
  if (text.slice(space + 1) !== hex(crc32(bytes.subarray(0, space)))) return undefined
  const [version, ...fields] = text.slice(mark.length, space).split(' ')
  const reader = readers[Number(version)]
  if (!reader) throw new JournalNewer(Number(version), FORMAT, file)
  return { reader, fields, bytes: end + 1 }
}

function digits(number: number, width: number): string {
  return String(number).padStart(width, '0')
}

function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, '0')
}
