import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { definedFields } from '@quipu/core/values'
import { type Batch, makeBatch, type Reading, RowWriter, SymbolNames } from './batch.ts'
import { readPieces, sourceSize } from './byte-source.ts'
import { ImportStopped } from './failures.ts'

/** Maximum size of a document that does not have one row per line, because it is read into memory. */
const DOCUMENT_BYTES_MAX = 512 * 1024 * 1024
/** Number of rows that are read to find the column names. */
const NAMED_ROWS = 200

type JsonRow = { readonly line: number; readonly cells: Readonly<Record<string, unknown>> }

/** The column names, in order of their first use. */
export async function jsonNames(path: string): Promise<readonly string[]> {
  const names = new Set<string>()
  let rows = 0
  for await (const list of jsonRows(path)) {
    for (const { cells } of list.slice(0, NAMED_ROWS)) for (const name of Object.keys(cells)) names.add(name)
    rows += list.length
    if (rows >= NAMED_ROWS) break
  }
  return [...names]
}

/** The rows of a JSON file in batches. */
export async function* jsonBatches(
  path: string,
  names: readonly string[],
  reading: Reading,
): AsyncGenerator<Batch> {
  const [symbols, writer] = [new SymbolNames(), new RowWriter(reading)]
  let bytes = 0
  let batch = makeBatch(reading, symbols)
  for await (const list of jsonRows(path, (read) => (bytes = read)))
    for (const { line, cells } of list) {
      if (batch.rows.count === batch.lines.length) {
        yield batch
        batch = makeBatch(reading, symbols)
      }
      const row = batch.rows.count++
      batch.lines[row] = line
      batch.bytes = bytes
      for (const [column, name] of names.entries()) writer.putValue(batch, row, column, cells[name])
      writer.finish(batch, row)
    }
  if (batch.rows.count > 0) yield batch
}

/** Reads one value per line, or one document. Rows are extracted from API responses and stream messages. */
async function* jsonRows(
  path: string,
  onProgress?: (bytes: number) => void,
): AsyncGenerator<readonly JsonRow[]> {
  let [line, rest] = [0, '']
  for await (const piece of textPieces(path, onProgress)) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    const rows: JsonRow[] = []
    for (const text of lines) {
      line++
      if (text.trim() === '') continue
      const value = parsed(text)
      if (value === undefined && line === 1) return yield* documentRows(path)
      if (value === undefined)
        throw new ImportStopped(`${path}:${line}: expected a row as JSON, received ${text.slice(0, 60)}`)
      rows.push(...rowsOf(value, line))
    }
    if (rows.length > 0) yield rows
  }
  if (rest.trim() === '') return
  const value = parsed(rest)
  if (value === undefined)
    throw new ImportStopped(`${path}:${line + 1}: expected a row as JSON, received ${rest.slice(0, 60)}`)
  yield rowsOf(value, line + 1)
}

async function* textPieces(path: string, onProgress?: (bytes: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const piece of readPieces(path, onProgress)) yield decoder.decode(piece, { stream: true })
}

async function* documentRows(path: string): AsyncGenerator<readonly JsonRow[]> {
  if ((await sourceSize(path)) > DOCUMENT_BYTES_MAX)
    throw new ImportStopped(`${path}: expected one row per line in a file of this size`)
  const bytes = await readFile(path)
  const value = parsed(
    (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8').replace(/^\uFEFF/, ''),
  )
  if (value === undefined)
    throw new ImportStopped(`${path}: expected JSON with one row per line, or one document`)
  yield rowsOf(value, 1)
}

/** Numbers that a double cannot represent exactly are kept as text. */
function parsed(text: string): unknown {
  try {
    return /[\d.]{17,}/.test(text) ? JSON.parse(text, keepDigits as never) : JSON.parse(text)
  } catch {
    return undefined
  }
}

const keepDigits = (_: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value === 'number' && source !== undefined && source.length > 16 ? source : value

const WRAPPERS = ['bars', 'trades', 'quotes'] as const
/** Messages of a stream that are not data. */
const CONTROL = new Set(['success', 'subscription', 'error'])

function rowsOf(value: unknown, line: number): readonly JsonRow[] {
  if (Array.isArray(value)) return value.flatMap((one) => rowsOf(one, line))
  if (typeof value !== 'object' || value === null) return [{ line, cells: {} }]
  const cells = value as Record<string, unknown>
  if (CONTROL.has(String(cells['T']))) return []
  const wrapper = WRAPPERS.find((name) => typeof cells[name] === 'object' && cells[name] !== null)
  if (!wrapper) return [{ line, cells }]
  const inner = cells[wrapper] as object
  if (Array.isArray(inner)) return named(inner, cells['symbol'], line)
  return Object.entries(inner).flatMap(([symbol, list]) => named([list].flat(), symbol, line))
}

function named(list: readonly unknown[], symbol: unknown, line: number): readonly JsonRow[] {
  const common = definedFields({ symbol })
  return list.map((row) => ({ line, cells: { ...common, ...(row as object) } }))
}
