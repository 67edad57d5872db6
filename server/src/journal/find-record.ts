import {
  HEADER_BYTES_MAX,
  isSound,
  parseRecordHeader,
  RECORD_HEADER_BYTES,
  RECORD_MARK,
  type RecordHeader,
} from './record.ts'
import type { Window } from './window.ts'

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
export type Found =
  | FoundRecord
  | { readonly kind: 'blank' }
  | { readonly kind: 'bad'; readonly reason: string; readonly unwritten: boolean }

export async function recordAt(window: Window, offset: number): Promise<Found> {
  const start = await window.at(offset, HEADER_BYTES_MAX)
  if (isZero(start)) return { kind: 'blank' }
  const header = parseRecordHeader(start, window.path)
  if (!header) {
    const unwritten = isUnwritten(start.subarray(0, RECORD_HEADER_BYTES), offset, RECORD_HEADER_BYTES)
    return { kind: 'bad', reason: 'no record begins here', unwritten }
  }
  const bytes = header.openBytes + header.sealedBytes
  const payload = await window.at(offset + header.bytes, bytes)
  if (!isSound(header, payload)) {
    const unwritten = isUnwritten(payload, offset + header.bytes, bytes)
    return { kind: 'bad', reason: 'the checksum of the record does not match', unwritten }
  }
  const headerLine = start.subarray(0, header.bytes)
  return { kind: 'record', header, headerLine, payload, end: offset + header.bytes + bytes }
}

/** How far the file is written after an offset, and whether that part contains another record. */
export async function inspectTail(window: Window, offset: number) {
  const tail = { writtenTo: offset, recordFollows: false }
  for (let at = offset; ; at += CHUNK_BYTES) {
    // The overlap contains a record mark that crosses the end of the chunk.
    const bytes = await window.at(at, CHUNK_BYTES + RECORD_MARK.length)
    const chunk = bytes.subarray(0, CHUNK_BYTES)
    if (!isZero(chunk)) {
      tail.writtenTo = at + lastWritten(chunk)
      tail.recordFollows ||= await hasHeader(window, at, bytes, offset)
    }
    if (bytes.length < CHUNK_BYTES) return tail
  }
}

async function hasHeader(window: Window, at: number, bytes: Buffer, except: number): Promise<boolean> {
  for (let mark = bytes.indexOf(RECORD_MARK); mark >= 0; mark = bytes.indexOf(RECORD_MARK, mark + 1)) {
    if (at + mark === except) continue
    if (parseRecordHeader(await window.at(at + mark, HEADER_BYTES_MAX), window.path)) return true
  }
  return false
}

// No byte of a record is zero, unwritten space is zero, and a disk fills each sector from its start. So an incomplete
// record ends with a zero in at least one sector. A complete record with a wrong checksum was damaged later.
function isUnwritten(bytes: Buffer, offset: number, length: number): boolean {
  if (bytes.length < length) return true
  for (let start = 0; start < length; ) {
    const end = Math.min(length, start + SECTOR_BYTES - ((offset + start) % SECTOR_BYTES))
    if (bytes[end - 1] === 0) return true
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
