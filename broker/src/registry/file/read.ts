import { hash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import {
  CLOCK_END,
  firstOf,
  type Instant,
  instantOfNanos,
  MARKET_MODEL,
  missing,
  type WorldSettings,
} from '@quipu/core'
import { type Entry, type Journal, JournalNewer } from '../../journal/journal.ts'
import { openMemoryJournal } from '../../journal/memory.ts'
import { entriesIn, isSound, parseRecordHeader, payloadBytes } from '../../journal/record.ts'
import { eventOf } from '../../journal/stored-event.ts'
import { auditEvents } from '../../world/audit/audit.ts'
import {
  type BlockLine,
  type EndLine,
  type ReportLine,
  type SavedBlock,
  type SavedSeries,
  WORLD_FILE_FORMAT,
  type WorldFileHeader,
} from './format.ts'
import { SecretRemover } from './without-secrets.ts'

/** The file is not a world file, is damaged, or does not fit this version. The message says why. */
export class WorldFileInvalid extends Error {
  override readonly name = 'WorldFileInvalid'
}

export type LoadedSeries = {
  readonly record: SavedSeries
  readonly blocks: readonly (SavedBlock & { readonly data: Uint8Array })[]
}

export type WorldFile = {
  readonly header: WorldFileHeader
  readonly now: Instant
  readonly settings: WorldSettings
  /** A journal in memory with all events, without secrets. */
  readonly journal: Journal
  readonly series: readonly LoadedSeries[]
  readonly report: string | undefined
}

const NEWLINE = 0x0a
const RECORD_START = 0x1e
/** A line of JSON is shorter, also with thousands of series. */
const LINE_MAX = 1024 * 1024
const END_LINE_MAX = 128

/** Reads a world file and checks all of it. Throws WorldFileInvalid. */
export async function readWorldFile(bytes: Buffer): Promise<WorldFile> {
  const header = headerOf(bytes)
  const body = bytes.subarray(0, endOf(bytes))
  const content = new Content(body, header)
  try {
    await content.read()
    await content.check()
  } catch (error) {
    if (error instanceof WorldFileInvalid) throw error
    if (error instanceof JournalNewer) throw new WorldFileInvalid(error.message)
    // Any other failure is caused by events that no journal contains.
    throw new WorldFileInvalid(
      `the events cannot be replayed: ${error instanceof Error ? error.message : error}`,
    )
  }
  const { journal, settings, series, report } = content
  if (!settings) throw new WorldFileInvalid('it has no events')
  return { header, now: instantOfNanos(BigInt(header.now)), settings, journal, series, report }
}

function headerOf(bytes: Buffer): WorldFileHeader {
  const header = lineAt(bytes, 0)?.line as Partial<WorldFileHeader> | undefined
  if (header?.quipu !== 'world') throw new WorldFileInvalid('it is not a file of `quipu world save`')
  const { format, version, marketModel, seq, now } = header
  if (format !== WORLD_FILE_FORMAT)
    throw new WorldFileInvalid(
      `it has format ${format} (Quipu ${version}), this version reads ${WORLD_FILE_FORMAT}`,
    )
  if (marketModel !== MARKET_MODEL)
    throw new WorldFileInvalid(
      `it has prices of market model ${marketModel}, this version computes those of model ${MARKET_MODEL}`,
    )
  const isSound =
    Number.isSafeInteger(seq) &&
    /^\d{1,19}$/.test(String(now)) &&
    BigInt(String(now)) <= CLOCK_END &&
    Array.isArray(header.series) &&
    header.series.every((one) => typeof one === 'object' && one !== null)
  if (!isSound) throw new WorldFileInvalid('its first line is damaged')
  return header as WorldFileHeader
}

/** The start of the last line, after the hash of everything before it was checked. */
function endOf(bytes: Buffer): number {
  const start = bytes.subarray(0, -1).lastIndexOf(NEWLINE) + 1
  const last = bytes.length - start <= END_LINE_MAX ? lineAt(bytes, start) : undefined
  const { part, sha256 } = (last?.line ?? {}) as Partial<EndLine>
  if (part !== 'end') throw new WorldFileInvalid('its end is missing; it was not copied completely')
  if (hash('sha256', bytes.subarray(0, start), 'hex') !== sha256)
    throw new WorldFileInvalid('it is damaged: its content does not match its SHA-256')
  return start
}

/** A line of JSON, and the byte after it. */
function lineAt(bytes: Buffer, at: number): { readonly line: unknown; readonly next: number } | undefined {
  const end = bytes.subarray(at, at + LINE_MAX).indexOf(NEWLINE)
  if (end < 0) return undefined
  try {
    return { line: JSON.parse(bytes.toString('utf8', at, at + end)) ?? undefined, next: at + end + 1 }
  } catch {
    return undefined
  }
}

class Content {
  readonly journal = openMemoryJournal()
  readonly series: { readonly record: SavedSeries; readonly blocks: (SavedBlock & { data: Uint8Array })[] }[]
  settings: WorldSettings | undefined
  report: string | undefined
  readonly #bytes: Buffer
  readonly #header: WorldFileHeader
  readonly #secrets = new SecretRemover()

  constructor(bytes: Buffer, header: WorldFileHeader) {
    this.#bytes = bytes
    this.#header = header
    this.series = header.series.map((record) => ({ record, blocks: [] }))
  }

  async read(): Promise<void> {
    for (let at = (lineAt(this.#bytes, 0) ?? missing('the first line')).next; at < this.#bytes.length; ) {
      at = this.#bytes[at] === RECORD_START ? await this.#readRecord(at) : this.#readPart(at)
      await turn()
    }
  }

  /** Recalculates the hash of the journal and every balance. */
  async check(): Promise<void> {
    const { seq, hash } = this.#header
    const report = await auditEvents(this.journal.read(0), { seq, hash })
    const count = this.journal.head().seq
    if (count !== seq) throw new WorldFileInvalid(`it has ${count} events instead of ${seq}`)
    if (!report.sound) throw new WorldFileInvalid(`its journal is not sound: ${report.problems[0]}`)
  }

  async #readRecord(at: number): Promise<number> {
    const header = parseRecordHeader(this.#bytes.subarray(at), 'the world file')
    if (!header || header.first !== this.journal.head().seq + 1) throw damagedAt(at)
    // Every event has at least a length and a kind.
    if (header.count * 2 > header.openBytes) throw damagedAt(at)
    const start = at + header.bytes
    const payload = this.#bytes.subarray(start, start + payloadBytes(header))
    if (!isSound(header, payload)) throw damagedAt(at)
    const entries: readonly Entry[] = entriesIn(header, payload)
    if (header.first === 1) this.#readSettings(firstOf(entries))
    await this.journal.append(entries.map((entry) => this.#secrets.clean(entry)))
    return start + payload.length
  }

  #readSettings(first: Entry): void {
    const event = eventOf(first)
    if (event.kind !== 'worldOpened') throw new WorldFileInvalid('its first event is not worldOpened')
    this.settings = event.settings
  }

  #readPart(at: number): number {
    const found = lineAt(this.#bytes, at)
    const line = found?.line as ReportLine | BlockLine | undefined
    if (!found || !line || !Number.isSafeInteger(line.bytes) || line.bytes < 0) throw damagedAt(at)
    const data = this.#bytes.subarray(found.next, found.next + line.bytes)
    const end = found.next + line.bytes
    if (this.#bytes[end] !== NEWLINE) throw damagedAt(at)
    if (line.part === 'report') this.report = data.toString('utf8')
    else if (line.part === 'block') this.#addBlock(at, line, data)
    else throw damagedAt(at)
    return end + 1
  }

  #addBlock(at: number, { series, period, rows, first, last, sha256 }: BlockLine, data: Buffer): void {
    const numbers = [period, rows, first, last].every((value) => Number.isSafeInteger(value))
    if (!numbers || hash('sha256', data, 'hex') !== sha256) throw damagedAt(at)
    const found = this.series[series]
    if (!found) throw damagedAt(at)
    found.blocks.push({ period, rows, first, last, sha256, data })
  }
}

const damagedAt = (at: number) => new WorldFileInvalid(`it is damaged at byte ${at}`)
