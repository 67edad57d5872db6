import type { Entry } from './entry.ts'

const NEWLINE = 0x0a
// The bytes that start a record and mark unwritten space. JSON contains neither.
const [RECORD, UNWRITTEN] = [0x1e, 0x00]

/** The most bytes that one UTF-16 unit needs. Reserving too much is cheaper than measuring each text. */
const UTF8_BYTES_MAX = 3
/** A larger buffer is released after its group, because most groups are small. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024
/** One byte in place of each newline. It is replaced after the check that the events contain no newline. */
const LINE_END_PLACEHOLDER = ' '
/** Bytes reserved before the lines for the record header, so that a group becomes a record without a copy. */
const HEADER_SPACE = 128
/** Characters encoded at a time. More does not fit the processor cache. Measured: half the time. */
const JOINED_LENGTH = 16_384

/**
 * Events that are appended to a journal together. Each event is encoded when it is added, into a buffer that later
 * groups reuse.
 */
export class Group {
  #buffer = Buffer.alloc(0)
  /** End of the encoded lines in the buffer. */
  #end = HEADER_SPACE
  /** Text that is not encoded yet, and the end of each of its lines. */
  #text = ''
  readonly #ends: number[] = []
  #isSound = true
  #count = 0
  /** The sealed parts, and the indexes of their events. */
  readonly #sealed: string[] = []
  readonly #sealedAt: number[] = []

  static of(entries: readonly Entry[]): Group {
    const group = new Group()
    for (const { open, sealed } of entries) group.add(open, sealed)
    return group
  }

  get count(): number {
    return this.#count
  }

  add(open: string, sealed: string | undefined): void {
    this.#text += open + LINE_END_PLACEHOLDER
    this.#ends.push(this.#text.length)
    if (sealed !== undefined) {
      this.#sealed.push(sealed)
      this.#sealedAt.push(this.#count)
    }
    this.#count += 1
    if (this.#text.length >= JOINED_LENGTH) this.#join()
  }

  /** The open lines, each ended by a newline. Valid until the group is cleared. */
  open(): Buffer {
    this.#join()
    const lines = this.#buffer.subarray(HEADER_SPACE, this.#end)
    if (this.#isSound) return lines
    for (const line of lines.toString().split('\n')) checkedLine(line)
    throw new Error('bug: an event must be one line of well-formed JSON')
  }

  /**
   * The group as a file record: space for the header, the open lines, and the sealed lines, each after the index of
   * its event. Valid until the group is cleared.
   */
  record(headerBytes: number): { readonly bytes: Buffer; readonly sealedBytes: number } {
    if (headerBytes > HEADER_SPACE) throw new Error(`bug: no space for a header of ${headerBytes} bytes`)
    this.open()
    let text = ''
    const ends: number[] = []
    for (let n = 0; n < this.#sealed.length; n++) {
      text += `${this.#sealedAt[n]} ${this.#sealed[n]}${LINE_END_PLACEHOLDER}`
      ends.push(text.length)
    }
    this.#reserve(this.#end + UTF8_BYTES_MAX * text.length)
    const end = this.#end + this.#buffer.write(text, this.#end)
    if (!endLines(this.#buffer.subarray(this.#end, end), text, ends))
      throw new Error('bug: a sealed part must be one line of well-formed JSON')
    return { bytes: this.#buffer.subarray(HEADER_SPACE - headerBytes, end), sealedBytes: end - this.#end }
  }

  /** Calls `use` with each sealed part and the index of its event in the group. */
  sealed(use: (sealed: string, at: number) => void): void {
    for (let n = 0; n < this.#sealed.length; n++) use(checkedLine(this.#sealed[n]!), this.#sealedAt[n]!)
  }

  /** The added events as separate entries. */
  entries(): Entry[] {
    const lines = this.open().toString().split('\n')
    const entries: Entry[] = []
    for (let at = 0; at < this.#count; at++) entries.push({ open: lines[at]! })
    this.sealed((sealed, at) => {
      entries[at] = { open: entries[at]!.open, sealed }
    })
    return entries
  }

  clear(): void {
    if (this.#buffer.length > KEPT_BYTES_MAX) this.#buffer = Buffer.alloc(0)
    this.#end = HEADER_SPACE
    this.#text = ''
    this.#ends.length = 0
    this.#isSound = true
    this.#count = 0
    this.#sealed.length = 0
    this.#sealedAt.length = 0
  }

  #join(): void {
    if (this.#text === '') return
    this.#reserve(this.#end + UTF8_BYTES_MAX * this.#text.length)
    const end = this.#end + this.#buffer.write(this.#text, this.#end)
    // Checked here, because a regular expression per line would take ten times as long.
    const isSound = endLines(this.#buffer.subarray(this.#end, end), this.#text, this.#ends)
    this.#isSound &&= isSound
    this.#end = end
    this.#text = ''
    this.#ends.length = 0
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(2 * bytes)
    this.#buffer.copy(larger, 0, 0, this.#end)
    this.#buffer = larger
  }
}

/**
 * Writes the newlines over their placeholders. Returns whether the text is well-formed and contains no byte that
 * frames lines or records. Measured: 3 % of a command.
 */
function endLines(bytes: Buffer, text: string, ends: readonly number[]): boolean {
  const isSound =
    text.isWellFormed() && !bytes.includes(RECORD) && !bytes.includes(UNWRITTEN) && !bytes.includes(NEWLINE)
  if (bytes.length === text.length) for (const end of ends) bytes[end - 1] = NEWLINE
  else {
    let [from, to] = [0, 0]
    for (const end of ends) {
      to += Buffer.byteLength(text.slice(from, end))
      bytes[to - 1] = NEWLINE
      from = end
    }
  }
  return isSound
}

/** The offset after `count` lines. */
export function endOfLine(lines: Buffer, start: number, count: number): number {
  let end = start
  for (let line = 0; line < count; line++) end = lines.indexOf(NEWLINE, end) + 1
  return end
}

/**
 * Control characters frame records and mark unwritten space, so no line may contain one. JSON.stringify writes none.
 */
export function checkedLine(line: string): string {
  if (/[\x00-\x1f]/.test(line) || !line.isWellFormed()) {
    throw new Error(`bug: an event must be one line of JSON, received ${JSON.stringify(line.slice(0, 80))}`)
  }
  return line
}
