import {
  HEADER_BYTES_MAX,
  isSound,
  parseRecordHeader,
  payloadBytes,
  RECORD_HEADER_BYTES,
  RECORD_MARK,
  type RecordHeader,
} from './record.ts'
import type { JournalWindow } from './window.ts'

/** The unit that a disk writes completely or not at all. */
const SECTOR_BYTES = 512
const CHUNK_BYTES = 64 * 1024
const ZEROS = Buffer.alloc(CHUNK_BYTES)

export type FoundRecord = {
  readonly kind: 'record'
  readonly header: RecordHeader
  readonly headerLine: Buffer
  readonly payload: Buffer
  readonly end: number
}

/** The content of a file where a record is expected. */
export type RecordLocation =
  | FoundRecord
  | { readonly kind: 'blank' }
  /** `end`: where the record would end, if its header is sound. */
  | { readonly kind: 'bad'; readonly reason: string; readonly unwritten: boolean; readonly end?: number }

export async function recordAt(window: JournalWindow, offset: number): Promise<RecordLocation> {
  const start = await window.at(offset, HEADER_BYTES_MAX)
  if (isZero(start)) return { kind: 'blank' }
  const header = parseRecordHeader(start, window.path)
  if (!header) {
    const unwritten = isUnwritten(start.subarray(0, RECORD_HEADER_BYTES), offset, RECORD_HEADER_BYTES)
    return { kind: 'bad', reason: 'no record begins here', unwritten }
  }
  const bytes = payloadBytes(header)
  const end = offset + header.bytes + bytes
  const payload = await window.at(offset + header.bytes, bytes)
  if (!isSound(header, payload)) {
    const unwritten = isUnwritten(payload, offset + header.bytes, bytes)
    return { kind: 'bad', reason: 'the checksum of the record does not match', unwritten, end }
  }
  const headerLine = start.subarray(0, header.bytes)
  return { kind: 'record', header, headerLine, payload, end }
}

/** How far the file is written after an offset, and whether a record begins at another offset or later. */
export async function inspectTail(window: JournalWindow, offset: number, recordFrom: number) {
  const tail = { writtenTo: offset, recordFollows: false }
  for (let at = offset; ; at += CHUNK_BYTES) {
    // The overlap contains a record mark that crosses the end of the chunk.
    const bytes = await window.at(at, CHUNK_BYTES + RECORD_MARK.length)
    const chunk = bytes.subarray(0, CHUNK_BYTES)
    if (!isZero(chunk)) {
      tail.writtenTo = at + lastWritten(chunk)
      tail.recordFollows ||= await hasHeader(window, at, bytes, recordFrom)
    }
    if (bytes.length < CHUNK_BYTES) return tail
  }
}

async function hasHeader(window: JournalWindow, at: number, bytes: Buffer, from: number): Promise<boolean> {
  for (let mark = bytes.indexOf(RECORD_MARK); mark >= 0; mark = bytes.indexOf(RECORD_MARK, mark + 1)) {
    if (at + mark < from) continue
    if (parseRecordHeader(await window.at(at + mark, HEADER_BYTES_MAX), window.path)) return true
  }
  return false
}

// Unwritten space is zero, a disk writes a sector completely or not at all, and no record ends with a zero. So an
// incomplete record has only zeros in one of its sectors, or a zero at its end. A complete record with a wrong checksum
// was damaged later.
function isUnwritten(bytes: Buffer, offset: number, length: number): boolean {
  if (bytes.length < length || bytes[length - 1] === 0) return true
  for (let start = 0; start < length; ) {
    const end = Math.min(length, start + SECTOR_BYTES - ((offset + start) % SECTOR_BYTES))
    if (isZero(bytes.subarray(start, end))) return true
    start = end
  }
  return false
}

function isZero(bytes: Buffer): boolean {
  return bytes.equals(ZEROS.subarray(0, bytes.length))
}

function lastWritten(bytes: Buffer): number {
  let end = bytes.length
  while (bytes[end - 1] === 0) end--
  return end
}
