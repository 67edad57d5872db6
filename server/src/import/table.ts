import type { Batch, Reading } from './batch.ts'
import { firstBytes, headOf } from './byte-source.ts'
import { csvBatches } from './csv.ts'
import { csvHeader } from './csv-header.ts'
import { ImportStopped } from './failures.ts'
import { jsonBatches, jsonNames } from './json.ts'

/** A file of rows: what its columns are called, and how to read them. */
export type Table = {
  readonly format: 'CSV' | 'JSON' | 'Parquet'
  readonly names: readonly string[]
  readonly batches: (reading: Reading) => AsyncGenerator<Batch>
}

/** A header is not longer than this. */
const HEAD_BYTES = 1 << 16

/** Looks at the file's first bytes; what its name ends in plays no part. */
export async function openTable(path: string): Promise<Table> {
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

async function parquetTable(path: string): Promise<Table> {
  // Loaded when it is needed: few imports are of Parquet.
  const { openParquet, parquetBatches } = await import('./parquet.ts')
  const parquet = await openParquet(path)
  return {
    format: 'Parquet',
    names: parquet.names,
    batches: (reading) => parquetBatches(parquet, reading),
  }
}
