import type { Batch } from './batch.ts'
import { settleDates } from './check.ts'
import { ImportStopped, ImportUsage } from './failures.ts'
import { type Told, toldByName } from './file-name.ts'
import { frameNamed, frameOf, periodFrame } from './frames.ts'
import type { ImportOptions } from './options.ts'
import { type Plan, planFor } from './plan.ts'
import { shownRows } from './shown-rows.ts'
import { openTable, type Table } from './table.ts'
import { DATE_ONLY } from './times.ts'
import { Zone } from './zone.ts'

/** What a file is, before it is read as a whole. */
export type Inspected = {
  readonly path: string
  readonly table: Table
  readonly plan: Plan
  readonly zone: Zone | undefined
  /** For rows that name none. */
  readonly symbol: string | undefined
  /** Of bars. */
  readonly frame: string | undefined
  readonly frameFrom: 'given' | 'name' | 'column' | 'spacing' | undefined
  /** The first rows, as they will be stored. */
  readonly sample: readonly (readonly string[])[]
}

const SAMPLE_ROWS = 4096
const SHOWN_ROWS = 5

/** Decides what the columns are, whose rows they are and how long a bar is. Throws ImportUsage and ImportStopped. */
export async function inspect(path: string, options: ImportOptions): Promise<Inspected> {
  const table = await openTable(path)
  const plan = planFor(table.names, options)
  const zone = options.timezone === undefined ? undefined : new Zone(options.timezone)
  const told = toldByName(path)
  const symbol = options.symbol ?? (plan.mapping.has('symbol') ? undefined : told.symbol)
  if (symbol === undefined && !plan.mapping.has('symbol'))
    throw new ImportUsage(`${path}: no column and no name tells the symbol: give it with --symbol`)
  const sample = await firstBatch(table, path, plan, options.timezone)
  const frame = plan.kind === 'bars' ? frameFor(path, options, told, sample) : undefined
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

/** A zone of its own: one remembers the row before. */
async function firstBatch(
  table: Table,
  path: string,
  plan: Plan,
  timezone: string | undefined,
): Promise<Batch> {
  const zone = timezone === undefined ? undefined : new Zone(timezone)
  for await (const batch of table.batches({ file: path, plan, zone, rowsMax: SAMPLE_ROWS })) return batch
  throw new ImportStopped(`${path}: expected rows, but there are none`)
}

type Framed = Pick<Inspected, 'frame' | 'frameFrom'>

function frameFor(path: string, { frame }: ImportOptions, told: Told, sample: Batch): Framed {
  if (frame !== undefined) return { frame: frameNamed(frame), frameFrom: 'given' }
  if (told.frame !== undefined) return { frame: told.frame, frameFrom: 'name' }
  const period = sample.period === '' ? undefined : periodFrame(sample.period)
  if (period !== undefined) return { frame: period, frameFrom: 'column' }
  const spacing = frameOf(sample) ?? (sample.rows.nanos[0] === DATE_ONLY ? '1Day' : undefined)
  if (spacing !== undefined) return { frame: spacing, frameFrom: 'spacing' }
  throw new ImportUsage(
    `${path}: the rows do not tell how long a bar is: give it with --frame 1Min (or 1Day, …)`,
  )
}
