import { itemAt } from '@quipu/core/values'
import type { SchemaElement } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'

import {
  exactOf,
  FIELDS,
  instantAt,
  type MarketStore,
  numberAt,
  type RowKind,
  type Rows,
  textAt,
} from '../market/store/index.ts'
import { EXPORT_NAMES, type ExportQuery, exportPieces } from './export.ts'
import { numberText } from './shown-rows.ts'

/** Rows per row group, which are in memory at once. */
const GROUP_ROWS = 100_000

type Group = { readonly symbols: string[]; readonly times: bigint[]; readonly columns: unknown[][] }

/**
 * Writes the rows of a query as Parquet: times as nanoseconds in UTC, numbers as doubles, ids as 64-bit integers. A
 * column with decimals that a double cannot represent exactly is written as text.
 */
export async function writeParquet(path: string, store: MarketStore, query: ExportQuery): Promise<number> {
  const asText = textColumns(store, query)
  const pq = new ParquetWriter({ writer: fileWriter(path), schema: schemaOf(query.kind, asText) })
  let group = emptyGroup(query.kind)
  let count = 0
  const write = async (): Promise<void> => {
    await pq.write({ columnData: columnData(query.kind, group), rowGroupSize: GROUP_ROWS })
    group = emptyGroup(query.kind)
  }
  for (const { symbol, rows, numbers } of exportPieces(store, query))
    for (const row of numbers) {
      putRow(group, symbol, rows, row, asText)
      count++
      if (group.times.length === GROUP_ROWS) await write()
    }
  if (group.times.length > 0) await write()
  await pq.finish()
  return count
}

/** The number columns that need exact text in the query; without ids. */
function textColumns(store: MarketStore, query: ExportQuery): ReadonlySet<number> {
  const found = new Set<number>()
  for (const { rows } of exportPieces(store, query))
    for (const [number, name] of FIELDS[query.kind].numbers.entries())
      if (name !== 'id' && rows.texts[exactOf(query.kind, number)]) found.add(number)
  return found
}

const emptyGroup = (kind: RowKind): Group => ({
  symbols: [],
  times: [],
  columns: [...FIELDS[kind].numbers, ...FIELDS[kind].texts].map(() => []),
})

function putRow(group: Group, symbol: string, rows: Rows, row: number, asText: ReadonlySet<number>): void {
  const { numbers, texts } = FIELDS[rows.kind]
  group.symbols.push(symbol)
  group.times.push(instantAt(rows, row))
  for (const [number, name] of numbers.entries()) {
    const value = numberAt(rows, number, row)
    const isAbsent = Number.isNaN(value)
    const typed = isAbsent ? undefined : name === 'id' ? BigInt(numberText(rows, number, row)) : value
    itemAt(group.columns, number).push(
      asText.has(number) && !isAbsent ? numberText(rows, number, row) : typed,
    )
  }
  for (let text = 0; text < texts.length; text++)
    itemAt(group.columns, numbers.length + text).push(textAt(rows, text, row) || undefined)
}

function columnData(kind: RowKind, { symbols, times, columns }: Group) {
  const { numbers, texts } = EXPORT_NAMES[kind]
  return [
    { name: 'symbol', data: symbols },
    { name: 'timestamp', data: times },
    ...[...numbers, ...texts].map((name, column) => ({ name, data: itemAt(columns, column) })),
  ]
}

function schemaOf(kind: RowKind, asText: ReadonlySet<number>): SchemaElement[] {
  const { numbers, texts } = EXPORT_NAMES[kind]
  const text = (name: string): SchemaElement => ({
    name,
    type: 'BYTE_ARRAY',
    converted_type: 'UTF8',
    repetition_type: 'OPTIONAL',
  })
  return [
    { name: 'root', num_children: 2 + numbers.length + texts.length },
    { name: 'symbol', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
    {
      name: 'timestamp',
      type: 'INT64',
      repetition_type: 'REQUIRED',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' },
    },
    ...numbers.map((name, number): SchemaElement => {
      if (asText.has(number)) return text(name)
      if (name === 'id')
        return { name, type: 'INT64', converted_type: 'UINT_64', repetition_type: 'OPTIONAL' }
      return { name, type: 'DOUBLE', repetition_type: 'OPTIONAL' }
    }),
    ...texts.map(text),
  ]
}
