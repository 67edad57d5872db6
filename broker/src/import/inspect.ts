import type { Batch, Reading } from './batch.ts'
import { firstBytes, headOf } from './byte-source.ts'
import { settleDates } from './check.ts'
import { csvBatches, csvHeader } from './csv.ts'
import { ImportStopped, ImportUsage } from './failures.ts'
import { type FileNameParts, fileNameParts } from './file-name.ts'
import { frameNamed, importFrame, periodFrame } from './frames.ts'
import { jsonBatches, jsonNames } from './json.ts'
import type { ImportOptions } from './options.ts'
import { type Plan, planFor } from './plan.ts'
import { shownRows } from './shown-rows.ts'
import { DATE_ONLY } from './times.ts'
import { ImportZone } from './zone.ts'

/** The properties of a file, determined from its first rows. */
export type Inspected = {
  readonly path: string
  readonly table: InspectedTable
  readonly plan: Plan
  readonly zone: ImportZone | undefined
  /** The symbol of rows without a symbol column. */
  readonly symbol: string | undefined
  /** Only for bars. */
  readonly frame: string | undefined
  readonly frameFrom: 'given' | 'name' | 'column' | 'spacing' | undefined
  /** The first rows in the form in which they are stored. */
  readonly sample: readonly (readonly string[])[]
}

const SAMPLE_ROWS = 4096
const SHOWN_ROWS = 5

/** Determines the columns, the symbol and the frame of a file. Throws ImportUsage and ImportStopped. */
export async function inspect(path: string, options: ImportOptions): Promise<Inspected> {
  const table = await openTable(path)
  const plan = planFor(table.names, options)
  const zone = options.timezone === undefined ? undefined : new ImportZone(options.timezone)
  const fromName = fileNameParts(path)
  const symbol = options.symbol ?? (plan.mapping.has('symbol') ? undefined : fromName.symbol)
  if (symbol === undefined && !plan.mapping.has('symbol'))
    throw new ImportUsage(`${path}: neither a column nor the file name has the symbol; add --symbol AAPL`)
  const sample = await firstBatch(table, path, plan, options.timezone)
  const frame = plan.kind === 'bars' ? frameFor(path, options, fromName, sample) : undefined
  settleDates(sample, symbol)
  const shown = shownRows(sample, SHOWN_ROWS, symbol)
  return {
    path,
    table,
    plan,
    zone,
    symbol,
    ...(frame ?? { frame: undefined, frameFrom: undefined }),
    sample: shown,
  }
}

/** Uses a new zone, because a zone remembers the previous row. */
async function firstBatch(
  table: InspectedTable,
  path: string,
  plan: Plan,
  timezone: string | undefined,
): Promise<Batch> {
  const zone = timezone === undefined ? undefined : new ImportZone(timezone)
  for await (const batch of table.batches({ file: path, plan, zone, rowsMax: SAMPLE_ROWS })) return batch
  throw new ImportStopped(`${path}: expected rows, but the file has none`)
}

type Framed = Pick<Inspected, 'frame' | 'frameFrom'>

function frameFor(path: string, { frame }: ImportOptions, fromName: FileNameParts, sample: Batch): Framed {
  if (frame !== undefined) return { frame: frameNamed(frame), frameFrom: 'given' }
  if (fromName.frame !== undefined) return { frame: fromName.frame, frameFrom: 'name' }
  const period = sample.period === '' ? undefined : periodFrame(sample.period)
  if (period !== undefined) return { frame: period, frameFrom: 'column' }
  const spacing = importFrame(sample) ?? (sample.rows.nanos[0] === DATE_ONLY ? '1Day' : undefined)
  if (spacing !== undefined) return { frame: spacing, frameFrom: 'spacing' }
  throw new ImportUsage(`${path}: the duration of a bar is unknown; add --frame 1Min (or 1Day)`)
}

/** A file of rows: its column names, and a reader. */
export type InspectedTable = {
  readonly format: 'CSV' | 'JSON' | 'Parquet'
  readonly names: readonly string[]
  readonly batches: (reading: Reading) => AsyncGenerator<Batch>
}

/** Maximum size of a header. */
const HEAD_BYTES = 1 << 16

/** Detects the format from the first bytes of a file; the file extension is ignored. */
export async function openTable(path: string): Promise<InspectedTable> {
  if ((await firstBytes(path, 4)).toString('latin1') === 'PAR1') return parquetTable(path)
  const head = await headOf(path, HEAD_BYTES).catch((error: NodeJS.ErrnoException) => {
    if (error.code?.startsWith('Z_')) throw new ImportStopped(`${path}: the compressed data is damaged`)
    throw error
  })
  const first = head.find((byte) => byte > 0x20)
  if (first === 0x7b || first === 0x5b) {
    const names = await jsonNames(path)
    return { format: 'JSON', names, batches: (reading) => jsonBatches(path, names, reading) }
  }
  const header = csvHeader(path, head)
  return { format: 'CSV', names: header.names, batches: (reading) => csvBatches(path, header, reading) }
}

async function parquetTable(path: string): Promise<InspectedTable> {
  // Loaded on demand, because few imports are Parquet.
  const { openParquet, parquetBatches } = await import('./parquet.ts')
  const parquet = await openParquet(path)
  return {
    format: 'Parquet',
    names: parquet.names,
    batches: (reading) => parquetBatches(parquet, reading),
  }
}
