import zlib from 'node:zlib'
import { DAY, dateOf, firstOf, formatInstant, instantOfNanos, itemAt } from '@quipu/core/values'
import {
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
} from 'hyparquet'
import { type Batch, makeBatch, type Reading, RowWriter, SymbolNames } from './batch.ts'
import { sourceSize } from './byte-source.ts'
import { ImportStopped } from './failures.ts'

/** A Parquet file and the types of its columns. */
export type Parquet = {
  readonly path: string
  readonly names: readonly string[]
  readonly metadata: FileMetaData
  readonly columns: readonly Column[]
}

/** `naive` are times without a time zone; `decimal` are integers with a scale. */
type Column = { readonly kind: 'plain' | 'naive' | 'decimal'; readonly scale: number }

const NO_ZSTANDARD = `Parquet with Zstandard needs Node 22.15 or newer, this is ${process.version}`

/** Codecs from Node; Snappy is part of the library. */
const compressors = {
  GZIP: (bytes: Uint8Array) => zlib.gunzipSync(bytes),
  BROTLI: (bytes: Uint8Array) => zlib.brotliDecompressSync(bytes),
  ZSTD: (bytes: Uint8Array) => {
    if (!('zstdDecompressSync' in zlib)) throw new ImportStopped(NO_ZSTANDARD)
    return zlib.zstdDecompressSync(bytes)
  },
}

/** Instants keep nanoseconds; the library would round them to milliseconds. */
const parsers = {
  timestampFromMilliseconds: (value: bigint) => value * 1_000_000n,
  timestampFromMicroseconds: (value: bigint) => value * 1000n,
  timestampFromNanoseconds: (value: bigint) => value,
  dateFromDays: (days: number) => dateOf(days),
}

export async function openParquet(path: string): Promise<Parquet> {
  const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path)).catch((error: Error) => {
    throw new ImportStopped(`${path}: invalid Parquet file: ${error.message}`)
  })
  const { children } = parquetSchema(metadata)
  return {
    path,
    metadata,
    names: children.map(({ element }) => element.name),
    columns: children.map(({ element }) => columnOf(element)),
  }
}

type Element = FileMetaData['schema'][number]

/** Decimals are read as integers, because the library would multiply them as doubles. */
function columnOf(element: Element): Column {
  const { logical_type: logical, converted_type: converted } = element
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    const scale = element.scale ?? 0
    delete element.converted_type
    delete element.logical_type
    return { kind: 'decimal', scale }
  }
  const isNaive = logical?.type === 'TIMESTAMP' && !logical.isAdjustedToUTC
  return { kind: isNaive ? 'naive' : 'plain', scale: 0 }
}

/** The rows of a Parquet file in batches; one row group is in memory at a time. */
export async function* parquetBatches(parquet: Parquet, reading: Reading): AsyncGenerator<Batch> {
  const { path, metadata } = parquet
  const [file, size] = [await asyncBufferFromFile(path), await sourceSize(path)]
  const [symbols, writer] = [new SymbolNames(), new RowWriter(reading)]
  const total = Number(metadata.num_rows)
  let batch = makeBatch(reading, symbols)
  let first = 0
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows)
    const cells = await readGroup(parquet, file, reading, first, rows)
    for (let from = 0; from < rows; from++) {
      if (batch.rows.count === batch.lines.length) {
        yield batch
        batch = makeBatch(reading, symbols)
      }
      const row = batch.rows.count++
      batch.lines[row] = first + from + 1
      batch.bytes = (size * (first + from + 1)) / total
      for (const [column, valueAt] of cells) writer.putValue(batch, row, column, valueAt(from))
      writer.finish(batch, row)
    }
    first += rows
  }
  if (batch.rows.count > 0) yield batch
}

type Cells = ReadonlyMap<number, (row: number) => unknown>

async function readGroup(
  { metadata, names, columns, path }: Parquet,
  file: Awaited<ReturnType<typeof asyncBufferFromFile>>,
  { plan }: Reading,
  first: number,
  rows: number,
): Promise<Cells> {
  const wanted = names.filter((_, column) => plan.targets[column] !== undefined)
  const chunks = new Map<string, unknown[][]>()
  const range = { rowStart: first, rowEnd: first + rows }
  await parquetRead({
    file,
    metadata,
    columns: wanted,
    ...range,
    compressors,
    parsers,
    onChunk: ({ columnName, columnData }) => {
      chunks.set(columnName, [...(chunks.get(columnName) ?? []), columnData as unknown as unknown[]])
    },
  }).catch((error: Error) => {
    throw new ImportStopped(`${path}: rows from ${first + 1} cannot be read: ${error.message}`)
  })
  return new Map(
    wanted.map((name) => {
      const column = names.indexOf(name)
      const parts = chunks.get(name) ?? []
      const values = parts.length === 1 ? firstOf(parts) : parts.flatMap((part) => [...part])
      return [column, cellOf(itemAt(columns, column), values)]
    }),
  )
}

function cellOf({ kind, scale }: Column, values: ArrayLike<unknown>): (row: number) => unknown {
  if (kind === 'decimal') return (row) => decimalText(values[row], scale)
  if (kind === 'plain') return (row) => values[row]
  // A column that contains only midnights contains dates.
  const isDates = Array.from(values).every((value) => typeof value !== 'bigint' || value % DAY === 0n)
  return (row) => {
    const value = values[row]
    if (typeof value !== 'bigint') return value
    const text = formatInstant(instantOfNanos(value)).slice(0, -1)
    return isDates ? text.slice(0, 10) : text
  }
}

function decimalText(value: unknown, scale: number): string {
  if (value === null || value === undefined) return ''
  const whole = value instanceof Uint8Array ? bigEndian(value) : BigInt(value as number | bigint)
  const digits = (whole < 0n ? -whole : whole).toString().padStart(scale + 1, '0')
  const point = digits.length - scale
  return `${whole < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`
}

function bigEndian(bytes: Uint8Array): bigint {
  let value = 0n
  for (const byte of bytes) value = value * 256n + BigInt(byte)
  return BigInt.asIntN(bytes.length * 8, value)
}
