import type { Entry } from './entry.ts'

const NEWLINE = 0x0a
// What begins a record, and marks unwritten space; JSON has none of them.
const [RECORD, UNWRITTEN] = [0x1e, 0x00]

/** Of a character of JavaScript, at most. Memory that is not written to costs nothing; measuring a text would. */
const UTF8_BYTES_MAX = 3
/** Memory that one large group took is not kept for the small ones after it. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024
/** Where a line is to end: one byte that JSON may hold. The newline comes once no other is known to be there. */
const UNENDED = ' '
/** Left free before the lines, for the header of a record: so a group becomes one where it lies. */
const HEADER_ROOM = 128
/** So many characters are joined at a time: much more does not stay in the processor's memory. Measured: half the time. */
const JOINED_LENGTH = 16_384

/**
 * Events on their way into a journal. Each is written as it comes, while it is still at hand, into memory that serves
 * one group after the other.
 */
export class Group {
  #room = Buffer.alloc(0)
  /** Where the lines in the room end. */
  #end = HEADER_ROOM
  /** What is not there yet, and where each of its lines ends. */
  #text = ''
  readonly #ends: number[] = []
  #isSound = true
  #count = 0
  /** The sealed parts, and which events they belong to. */
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
    this.#text += open + UNENDED
    this.#ends.push(this.#text.length)
    if (sealed !== undefined) {
      this.#sealed.push(sealed)
      this.#sealedAt.push(this.#count)
    }
    this.#count += 1
    if (this.#text.length >= JOINED_LENGTH) this.#join()
  }

  /** The open lines, each ended by a newline: good until the group is cleared. */
  open(): Buffer {
    this.#join()
    const lines = this.#room.subarray(HEADER_ROOM, this.#end)
    if (this.#isSound) return lines
    for (const line of lines.toString().split('\n')) checkedLine(line)
    throw new Error('bug: an event must be one line of well-formed JSON')
  }

  /**
   * The group as a record of files: room for the header, the open lines, and the sealed ones, each after the place of its
   * event. Good until the group is cleared.
   */
  record(headerBytes: number): { readonly bytes: Buffer; readonly sealedBytes: number } {
    if (headerBytes > HEADER_ROOM) throw new Error(`bug: no room for a header of ${headerBytes} bytes`)
    this.open()
    let text = ''
    const ends: number[] = []
    for (let n = 0; n < this.#sealed.length; n++) {
      text += `${this.#sealedAt[n]} ${this.#sealed[n]}${UNENDED}`
      ends.push(text.length)
    }
    this.#makeRoom(this.#end + UTF8_BYTES_MAX * text.length)
    const end = this.#end + this.#room.write(text, this.#end)
    if (!endLines(this.#room.subarray(this.#end, end), text, ends))
      throw new Error('bug: a sealed part must be one line of well-formed JSON')
    return { bytes: this.#room.subarray(HEADER_ROOM - headerBytes, end), sealedBytes: end - this.#end }
  }

  /** Each sealed part with the place of its event in the group. */
  sealed(use: (sealed: string, at: number) => void): void {
    for (let n = 0; n < this.#sealed.length; n++) use(checkedLine(this.#sealed[n]!), this.#sealedAt[n]!)
  }

  /** What was added, apart. */
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
    if (this.#room.length > KEPT_BYTES_MAX) this.#room = Buffer.alloc(0)
    this.#end = HEADER_ROOM
    this.#text = ''
    this.#ends.length = 0
    this.#isSound = true
    this.#count = 0
    this.#sealed.length = 0
    this.#sealedAt.length = 0
  }

  #join(): void {
    if (this.#text === '') return
    this.#makeRoom(this.#end + UTF8_BYTES_MAX * this.#text.length)
    const end = this.#end + this.#room.write(this.#text, this.#end)
    // While they are at hand; a pattern for every line would take ten times as long.
    const isSound = endLines(this.#room.subarray(this.#end, end), this.#text, this.#ends)
    this.#isSound &&= isSound
    this.#end = end
    this.#text = ''
    this.#ends.length = 0
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#room.length) return
    const room = Buffer.allocUnsafeSlow(2 * bytes)
    this.#room.copy(room, 0, 0, this.#end)
    this.#room = room
  }
}

/**
 * Ends lines where they were put together with a place for that. Tells whether the text is well-formed and held nothing
 * that frames lines or records: no newline but these is in it, without counting them. Measured: 3 % of a command.
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

/** The place behind so many lines. */
export function endOfLine(lines: Buffer, start: number, count: number): number {
  let end = start
  for (let line = 0; line < count; line++) end = lines.indexOf(NEWLINE, end) + 1
  return end
}

/** Control characters frame records and mark unwritten space, so no line may hold one. JSON.stringify makes none. */
export function checkedLine(line: string): string {
  if (/[\x00-\x1f]/.test(line) || !line.isWellFormed()) {
    throw new Error(`bug: an event must be one line of JSON, received ${JSON.stringify(line.slice(0, 80))}`)
  }
  return line
}
