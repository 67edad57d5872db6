import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definedFields, firstOf, itemAt, missing } from '@quipu/core/values'
import {
  type MarketStore,
  openStore,
  type SeriesIntake,
  type Stored,
  type StoreWriter,
  valueAt,
} from '../market/store/index.ts'
import type { Batch } from './batch.ts'
import { sourceSize } from './byte-source.ts'
import { faultsIn, settleDates, settleUtcMidnights, without } from './check.ts'
import { type ImportFault, ImportStopped } from './failures.ts'
import { symbolInName } from './file-name.ts'
import { summaryOfGaps } from './gaps.ts'
import { type Inspected, inspect } from './inspect.ts'
import type { FileReport, ImportOptions, ImportProgress, ImportReport, SeriesReport } from './options.ts'

/** Maximum number of faults that are listed. */
const FAULTS_SHOWN = 20

/**
 * Imports all files or, if it throws, none. A dry run imports into a temporary store. Throws ImportUsage if an option
 * is missing or wrong, and ImportStopped if a file has invalid content.
 */
export async function importFiles(
  store: MarketStore,
  paths: readonly string[],
  options: ImportOptions = {},
  progress: ImportProgress = () => {},
): Promise<ImportReport> {
  const inspected: Inspected[] = []
  for (const path of paths) inspected.push(await inspect(path, options))
  if (options.dryRun !== true) return read(store, inspected, options, progress)
  const folder = mkdtempSync(join(tmpdir(), 'quipu-dry-run-'))
  const scratch = openStore(folder)
  try {
    return await read(scratch, inspected, options, progress)
  } finally {
    scratch.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function read(
  store: MarketStore,
  files: readonly Inspected[],
  options: ImportOptions,
  progress: ImportProgress,
): Promise<ImportReport> {
  const writer = store.write()
  try {
    const reports: FileReport[] = []
    for (const file of files) reports.push(await readFile(writer, file, options, progress))
    const isDryRun = options.dryRun === true
    const stored = writer.commit()
    return { isDryRun, files: reports, series: stored.map((one) => seriesReport(store, one, isDryRun)) }
  } catch (error) {
    writer.abort()
    throw error
  }
}

async function readFile(
  writer: StoreWriter,
  file: Inspected,
  options: ImportOptions,
  progress: ImportProgress,
): Promise<FileReport> {
  const { path, table, plan, zone, ...shown } = file
  const bytesTotal = await sourceSize(path)
  const faults: ImportFault[] = []
  let [rows, skipped] = [0, 0]
  const put = router(writer, file)
  for await (const batch of table.batches({ file: path, plan, zone })) {
    const good = checked(batch, file, options, faults)
    skipped += batch.rows.count - good.rows.count
    rows += good.rows.count
    put(good)
    progress({ file: path, bytes: batch.bytes, bytesTotal, rows })
  }
  const { layout, kind, mapping } = plan
  return { file: path, format: table.format, layout, kind, mapping, ...shown, rows, skipped, faults }
}

/** Removes rows that cannot be stored, if they may be skipped. */
function checked(
  batch: Batch,
  file: Inspected,
  { bad = 'stop' }: ImportOptions,
  faults: ImportFault[],
): Batch {
  settleDates(batch, file.symbol)
  if (file.frame !== undefined && /Day|Week|Month/.test(file.frame)) settleUtcMidnights(batch, file.symbol)
  const found = faultsIn(batch, file.symbol)
  if (found.length === 0) return batch
  const listed = found.map(({ row, reason }) => ({
    file: file.path,
    line: valueAt(batch.lines, row),
    reason,
  }))
  if (bad === 'stop') {
    const { line, reason } = firstOf(listed)
    throw new ImportStopped(
      `${file.path}:${line}: ${reason}; nothing was stored. Correct the row, or add --bad skip`,
    )
  }
  faults.push(...listed.slice(0, FAULTS_SHOWN - faults.length))
  return without(batch, new Set(found.map(({ row }) => row)))
}

/** Adds rows to the series of their symbols; consecutive rows of one symbol are added together. */
function router(writer: StoreWriter, { plan, frame, symbol }: Inspected): (batch: Batch) => void {
  const intakes: SeriesIntake[] = []
  const intakeOf = (name: string): SeriesIntake => {
    const key = { kind: plan.kind, symbol: name }
    return writer.series(frame === undefined ? key : { ...key, frame })
  }
  // Files of the Alpaca protocol already have its spelling of symbols.
  const isAlpaca = /^(wire|alpaca-py)/.test(plan.layout)
  const spelled = (name: string): string => (isAlpaca ? name : symbolInName(name))
  return ({ rows, symbols, names }) => {
    for (let from = 0; from < rows.count; ) {
      const number = symbol === undefined ? (symbols[from] ?? missing('a row')) : 0
      let to = from + 1
      while (to < rows.count && (symbol !== undefined || symbols[to] === number)) to++
      const intake = (intakes[number] ??= intakeOf(symbol ?? spelled(itemAt(names.list, number))))
      intake.add(rows, from, to)
      from = to
    }
  }
}

function seriesReport(
  store: MarketStore,
  { kind, symbol, frame, rows, added }: Stored,
  isDryRun: boolean,
): SeriesReport {
  const series =
    store.find(frame === undefined ? { kind, symbol } : { kind, symbol, frame }) ?? missing('the series')
  const { first, last } = series
  const gaps = isDryRun && kind === 'bars' ? summaryOfGaps(series) : undefined
  return { kind, symbol, frame, first, last, rows, added, ...definedFields({ gaps }) }
}
