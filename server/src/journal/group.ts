import type { Entry } from './entry.ts'

const NEWLINE = 0x0a
// What begins a record, and marks unwritten space; JSON has none of them.
const [RECORD, UNWRITTEN] = [0x1e, 0x00]

/** Of a character of JavaScript, at most. Memory that is not written to costs nothing; measuring a text would. */
const UTF8_BYTES_MAX = 3
/** Memory that one large group took is not kept for the small ones after it. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024
/** So many characters are joined at a time: much more does not stay in the processor's memory. Measured: half the time. */
const JOINED_LENGTH = 16_384

/**
 * Events on their way into a journal. Each is written as it comes, while it is still at hand, into memory that serves
 * one group after the other.
 */
export class Group {
  #room = Buffer.alloc(0)
  /** What is in the room. */
  #end = 0
  /** What is not there yet. */
  #text = ''
  #isWellFormed = true
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
    this.#text += open + '\n'
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
    const lines = this.#room.subarray(0, this.#end)
    // The group is searched whole; line by line it would take ten times as long.
    if (this.#isWellFormed && isFramed(lines, this.#count)) return lines
    for (const line of lines.toString().split('\n')) checkedLine(line)
    throw new Error('bug: an event must be one line of well-formed JSON')
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
    this.#end = 0
    this.#text = ''
    this.#isWellFormed = true
    this.#count = 0
    this.#sealed.length = 0
    this.#sealedAt.length = 0
  }

  #join(): void {
    if (this.#text === '') return
    const needed = this.#end + UTF8_BYTES_MAX * this.#text.length
    if (needed > this.#room.length) {
      const room = Buffer.allocUnsafeSlow(2 * needed)
      this.#room.copy(room, 0, 0, this.#end)
      this.#room = room
    }
    this.#isWellFormed &&= this.#text.isWellFormed()
    this.#end += this.#room.write(this.#text, this.#end)
    this.#text = ''
  }
}

const isFramed = (bytes: Buffer, lines: number): boolean =>
  !bytes.includes(RECORD) && !bytes.includes(UNWRITTEN) && endOfLine(bytes, 0, lines) === bytes.length

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
