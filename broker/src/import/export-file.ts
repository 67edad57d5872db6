import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import type { MarketStore } from '../market/store/index.ts'
import { csvPieces, type ExportQuery } from './export.ts'

/** Writes the rows of a query to a Parquet or CSV file, completely or not at all. Returns the number of rows. */
export async function exportRows(store: MarketStore, query: ExportQuery, path: string): Promise<number> {
  const unfinished = `${path}.tmp`
  try {
    const write = path.toLowerCase().endsWith('.parquet') ? parquet : writeCsv
    const rows = await write(unfinished, store, query)
    renameSync(unfinished, path)
    return rows
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

function writeCsv(path: string, store: MarketStore, query: ExportQuery): number {
  const file = openSync(path, 'w')
  let lines = -1
  try {
    for (const piece of csvPieces(store, query)) {
      const bytes = Buffer.from(piece)
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
      for (const byte of bytes) if (byte === 0x0a) lines++
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return lines
}

async function parquet(path: string, store: MarketStore, query: ExportQuery): Promise<number> {
  // Loaded on demand, because most exports are CSV.
  const { writeParquet } = await import('./export-parquet.ts')
  return writeParquet(path, store, query)
}
