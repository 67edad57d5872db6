import { wrongFieldOfPart, wrongFieldOfRun } from './check-run.ts'
import { RUN_FILE_FORMAT, type Run, type RunFile, type RunParts, runParts } from './run-file.ts'

/** The bytes are no run file that this version can read. */
export class RunFileError extends Error {
  override readonly name = 'RunFileError'
}

/** Decompressed bytes of a file that is read. A file of 100 MB can have more than memory. */
const BYTES_MAX = 512 * 1024 * 1024
const LINES_MAX = 1_000_000
/** Characters. A request has at most 16 KB of bodies. */
const LINE_MAX = 4 * 1024 * 1024

type Parts = { readonly [Part in keyof RunParts]: RunParts[Part][number][] }

/** Reads a run file. Throws RunFileError. */
export async function readRun(file: Uint8Array | ReadableStream<Uint8Array>): Promise<RunFile> {
  let run: Run | undefined
  const parts = Object.fromEntries(runParts.map((part) => [part, []])) as unknown as Parts
  let [lines, end] = [0, 0]
  for await (const some of linesOf(file))
    for (const line of some) {
      lines += 1
      if (end > 0) throw new RunFileError(`line ${lines}: expected the end of the file`)
      const entry = objectIn(line, lines)
      if (run === undefined) run = recordIn(entry)
      else if (entry['part'] === 'end') end = Number(entry['lines'])
      else addTo(parts, entry, lines)
    }
  if (run === undefined) throw new RunFileError('the file is empty')
  if (end !== lines) throw new RunFileError('the file is not complete: its end is missing')
  return { run, parts }
}

/** Reads the record of a run, which is the first line of its file, and no more. Throws RunFileError. */
export async function readRunRecord(file: Uint8Array | ReadableStream<Uint8Array>): Promise<Run> {
  for await (const [line] of linesOf(file)) if (line !== undefined) return recordIn(objectIn(line, 1))
  throw new RunFileError('the file is empty')
}

function recordIn({ quipu_run: format, ...run }: Readonly<Record<string, unknown>>): Run {
  if (format === undefined) throw new RunFileError('quipu_run: expected the first line of a run file')
  if (format !== RUN_FILE_FORMAT)
    throw new RunFileError(
      `quipu_run: expected format ${RUN_FILE_FORMAT}, received ${JSON.stringify(format)}`,
    )
  const wrong = wrongFieldOfRun(run)
  if (wrong !== undefined) throw new RunFileError(`line 1: ${wrong}: ${unexpected(run[wrong])}`)
  return run as unknown as Run
}

/** A part of a later version is ignored. */
function addTo(parts: Parts, { part, ...line }: Readonly<Record<string, unknown>>, number: number): void {
  const known = runParts.find((name) => name === part)
  if (known === undefined) return
  const wrong = wrongFieldOfPart(known, line)
  if (wrong !== undefined)
    throw new RunFileError(`line ${number}: ${known}.${wrong}: ${unexpected(line[wrong])}`)
  ;(parts[known] as unknown[]).push(line)
}

const unexpected = (value: unknown): string =>
  value === undefined ? 'is missing' : `unexpected value ${JSON.stringify(value).slice(0, 40)}`

function objectIn(line: string, number: number): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>
  } catch {
    // As a line that is no object.
  }
  throw new RunFileError(`line ${number}: expected a JSON object`)
}

async function* linesOf(file: Uint8Array | ReadableStream<Uint8Array>): AsyncGenerator<readonly string[]> {
  const text = new TextDecoder()
  let [rest, bytes, count] = ['', 0, 0]
  for await (const chunk of chunksOf(file)) {
    bytes += chunk.length
    if (bytes > BYTES_MAX) throw new RunFileError(`the file has more than ${BYTES_MAX} bytes`)
    const lines = (rest + text.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    count += lines.length
    if (count > LINES_MAX) throw new RunFileError(`the file has more than ${LINES_MAX} lines`)
    if (rest.length > LINE_MAX)
      throw new RunFileError(`line ${count + 1}: it has more than ${LINE_MAX} characters`)
    yield lines
  }
  if (rest !== '') yield [rest]
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(file: Uint8Array | ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = file instanceof Uint8Array ? new Response(file as Uint8Array<ArrayBuffer>).body! : file
  const gunzip = new DecompressionStream('gzip') as unknown as TransformStream<Uint8Array, Uint8Array>
  const reader = source.pipeThrough(gunzip).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new RunFileError('the file is not a run file: it is no gzip, or it is damaged')
      })
      if (done) return
      yield value
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}
