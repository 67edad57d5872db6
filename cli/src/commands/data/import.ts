import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { keepOwner } from '@quipu/broker/data-folder/keep-owner.ts'
import type {
  FileReport,
  ImportOptions,
  ImportProgress,
  ImportReport,
  SeriesReport,
} from '@quipu/broker/import/options.ts'
import { formatInstant } from '@quipu/core/values'
import { fieldsOf } from '../call.ts'
import { type CliCommand, type CommandContext, UsageError } from '../command.ts'
import { type Column, columns, counted, tableLines, utc } from '../output.ts'
import { oneOfWords } from '../values.ts'
import { marketFolder } from './data.ts'

// Loaded on demand, so that other commands start faster.
const loaded = async () => ({
  ...(await import('@quipu/broker/import/index.ts')),
  ...(await import('@quipu/broker/market/store/index.ts')),
})

export const importCommand: CliCommand = {
  name: 'import',
  about:
    'Import bars, trades or quotes from CSV, JSON or Parquet. All files are imported or none, with or without a ' +
    'running server. The same rows again change nothing. New replay worlds see the data; no other world ' +
    'does until `quipu data use`. `docs/guides/replay.md` lists the file formats.',
  arguments: [{ name: 'FILE', about: 'Files to read; `.gz` is decompressed.', many: true }],
  flags: {
    kind: {
      placeholder: 'KIND',
      about: 'bars, trades or quotes. Default: detected from the columns.',
      value: oneOfWords('bars', 'trades', 'quotes'),
    },
    columns: { placeholder: 'LIST', about: 'Names of the columns: time=ts,open=o,… Default: detected.' },
    symbol: {
      placeholder: 'SYMBOL',
      about: 'Symbol of the rows. Default: from a column or the file name.',
    },
    timezone: {
      placeholder: 'ZONE',
      about: 'Time zone of timestamps that have no offset: America/New_York.',
    },
    frame: { placeholder: 'FRAME', about: 'Length of a bar: 1Min, 5Min, 1Hour, 1Day, … Default: detected.' },
    bad: {
      placeholder: 'skip|stop',
      about: 'What to do with a bad row. Default: stop.',
      value: oneOfWords('skip', 'stop'),
    },
    'dry-run': {
      about: 'Show what would be imported and what is missing; store nothing.',
      field: 'dryRun',
    },
  },
  example: 'quipu import AAPL_1Min.csv --timezone America/New_York --dry-run',
  run: async (context) => {
    const { args, config, json, print, width } = context
    const paths = args
      .get('FILE')!
      .split('\n')
      .map((path) => resolve(path))
    const missing = paths.find((path) => !existsSync(path))
    if (missing !== undefined) throw new UsageError(`import: ${missing} does not exist`)
    const options = (await fieldsOf(context, { flags: importCommand.flags! })) as ImportOptions
    const { importFiles, openStore } = await loaded()
    const store = openStore(marketFolder(config))
    const bar = progressBar(context)
    try {
      const report = await importFiles(store, paths, options, bar.show)
      bar.clear()
      print(json ? JSON.stringify(report, plainValue) : lines(report, width).join('\n'))
      return 0
    } finally {
      bar.clear()
      store.close()
      keepOwner(dirname(store.folder))
    }
  },
}

const plainValue = (_: string, value: unknown): unknown =>
  typeof value === 'bigint'
    ? formatInstant(value as never)
    : value instanceof Map
      ? Object.fromEntries(value)
      : value

function lines({ files, series, isDryRun }: ImportReport, width: number): readonly string[] {
  return [
    ...files.flatMap((file) => fileLines(file, isDryRun)),
    '',
    ...tableLines(series, seriesTable, width),
    ...series.flatMap(gapLines),
    ...(isDryRun ? ['', 'Nothing was stored: this was a dry run.'] : []),
  ]
}

function fileLines(file: FileReport, isDryRun: boolean): readonly string[] {
  const { kind, layout, format, frame, frameFrom, mapping, rows, skipped, faults, sample } = file
  const framed =
    frame === undefined ? '' : ` of ${frame} (by ${frameFrom === 'given' ? '--frame' : frameFrom})`
  return [
    `${basename(file.file)}: ${format}, ${layout}: ${counted(rows, 'row')} of ${kind}${framed}`,
    `  columns: ${[...mapping].map(([field, column]) => `${field}=${column}`).join(', ')}`,
    ...(isDryRun ? columns(sample).map((line) => `  ${line}`) : []),
    ...(skipped > 0 ? [`  skipped: ${counted(skipped, 'row')}`] : []),
    ...faults.map(({ line, reason }) => `  ${file.file}:${line}: ${reason}`),
  ]
}

const seriesTable: readonly Column<SeriesReport>[] = [
  ['SERIES', ({ kind, frame, symbol }) => [kind, frame, symbol].filter(Boolean).join(' ')],
  ['ROWS', ({ rows }) => rows, 'right'],
  ['NEW', ({ added }) => added, 'right'],
  ['FIRST (UTC)', ({ first }) => utc(formatInstant(first))],
  ['LAST (UTC)', ({ last }) => utc(formatInstant(last))],
]

function gapLines({ symbol, frame, gaps }: SeriesReport): readonly string[] {
  if (!gaps || gaps.count === 0) return []
  return [
    `${frame} ${symbol}: ${counted(gaps.missing, 'bar')} missing in ${counted(gaps.count, 'gap')}; the longest:`,
    ...gaps.longest.map(
      ({ from, to, missing }) =>
        `  ${formatInstant(from)} to ${formatInstant(to)}: ${counted(missing, 'bar')}`,
    ),
  ]
}

const EVERY_MS = 100
const LINE_EVERY_MS = 5_000
const WIDTH = 30

/** A progress bar on a terminal, a line every few seconds elsewhere, nothing with --json. */
function progressBar({ json, note }: CommandContext): {
  readonly show: ImportProgress
  readonly clear: () => void
} {
  const isTerminal = process.stderr.isTTY === true
  let [shownAt, isShown] = [performance.now(), false]
  const show: ImportProgress = ({ file, bytes, bytesTotal, rows }) => {
    const now = performance.now()
    if (json || now - shownAt < (isTerminal ? EVERY_MS : LINE_EVERY_MS)) return
    shownAt = now
    const share = bytesTotal === 0 ? 1 : Math.min(1, bytes / bytesTotal)
    const text = `${basename(file)}  ${Math.floor(share * 100)} %  ${rows.toLocaleString('en-US')} rows`
    if (!isTerminal) return note(text)
    isShown = true
    const done = Math.round(share * WIDTH)
    process.stderr.write(`\r\x1b[K[${'#'.repeat(done)}${' '.repeat(WIDTH - done)}] ${text}`)
  }
  const clear = (): void => {
    if (isShown) process.stderr.write('\r\x1b[K')
    isShown = false
  }
  return { show, clear }
}
