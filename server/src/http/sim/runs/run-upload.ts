import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { RUN_FORMAT, type RunRecord, RunShape } from '@quipu/contract'
import { refuse } from '../../../wire/refusal.ts'

/** A file of 100 MB can have much more when it is decompressed. */
const TEXT_MAX = 512 * 1024 * 1024
const LINES_MAX = 1_000_000
const RECORD_MAX = 64 * 1024
const CHUNK = 64 * 1024
const NEWLINE = 0x0a

/** Checks that a run file is complete, and returns its record. Its other lines are for its readers. */
export async function checkedRun(bytes: Uint8Array): Promise<RunRecord> {
  const scan = new LineScan()
  const gunzip = createGunzip()
  try {
    for await (const chunk of Readable.from(chunksOf(bytes)).pipe(gunzip)) scan.add(chunk as Buffer)
  } catch (error) {
    if (error instanceof TooLong) throw invalid(error.message)
    throw invalid('it is no gzip, or it is damaged')
  }
  const record = recordIn(scan.first)
  const end = objectIn(scan.last)
  if (end?.['part'] !== 'end' || end['lines'] !== scan.lines)
    throw invalid('it is not complete: its end is missing')
  return record
}

class TooLong extends Error {}

/** The first and the last line of a text, and how many it has. */
class LineScan {
  first = ''
  lines = 0
  #rest = Buffer.alloc(0)
  #tail = Buffer.alloc(0)
  #bytes = 0

  add(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > TEXT_MAX)
      throw new TooLong(`it has more than ${TEXT_MAX} bytes when it is decompressed`)
    if (this.lines === 0) this.#begin(chunk)
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) this.lines += 1
    if (this.lines > LINES_MAX) throw new TooLong(`it has more than ${LINES_MAX} lines`)
    // The end is short.
    this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-CHUNK)
  }

  get last(): string {
    return this.#tail.toString('utf8').trimEnd().split('\n').at(-1) ?? ''
  }

  #begin(chunk: Buffer): void {
    const at = chunk.indexOf(NEWLINE)
    this.#rest = Buffer.concat([this.#rest, at < 0 ? chunk : chunk.subarray(0, at)])
    if (this.#rest.length > RECORD_MAX) throw new TooLong(`its first line has more than ${RECORD_MAX} bytes`)
    if (at >= 0) this.first = this.#rest.toString('utf8')
  }
}

function recordIn(line: string): RunRecord {
  const { quipu_run: format, ...fields } = objectIn(line) ?? {}
  if (format !== RUN_FORMAT)
    throw invalid(
      `quipu_run: expected format ${RUN_FORMAT}, received ${JSON.stringify(format) ?? 'no value'}`,
    )
  const problems: { readonly field: string; readonly message: string }[] = []
  const record = RunShape.parse(fields, '', problems)
  if (problems[0]) throw invalid(problems[0].message)
  return record as RunRecord
}

function objectIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK)
}

const invalid = (problem: string) => refuse({ code: 'runFileInvalid', problem })
