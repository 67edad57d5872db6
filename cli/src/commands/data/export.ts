import { resolve } from 'node:path'
import type { Bound, ExportQuery } from '@quipu/broker/import/export.ts'
import type { RowKind } from '@quipu/broker/market/store/index.ts'
import { definedFields, entryIn, parseDate, parseInstant } from '@quipu/core/values'
import type { Config } from '@quipu/server/config/config.ts'
import { type CliCommand, type CommandContext, UsageError } from '../command.ts'
import { counted, printText } from '../output.ts'
import { marketFolder } from './data.ts'
import { exportMarket } from './export-market.ts'

// Loaded on demand, so that other commands start faster.
const loaded = async () => ({
  ...(await import('@quipu/broker/import/index.ts')),
  ...(await import('@quipu/broker/market/store/index.ts')),
})

export const exportCommand: CliCommand = {
  name: 'export',
  about:
    'Export imported rows, or market data of a running server, as CSV or Parquet. The file can be imported again.',
  arguments: [{ name: 'FILE', about: 'File to write: NAME.csv or NAME.parquet.' }],
  flags: {
    from: {
      placeholder: 'imported|market',
      about: 'Imported rows, or market data of the running server. Default: imported.',
    },
    kind: { placeholder: 'KIND', about: 'bars, trades or quotes. Default: bars.' },
    frame: {
      placeholder: 'FRAME',
      about: 'Frame of the bars as they were imported: 1Min, 1Day, … Default: 1Min.',
    },
    symbols: { placeholder: 'LIST', about: 'Symbols, in this order. Default: all.' },
    start: {
      placeholder: 'TIME',
      about: 'First time: 2024-01-02 (New York, or UTC for crypto), or 2024-01-02T14:30:00Z.',
    },
    end: { placeholder: 'TIME', about: 'Last time, inclusive; a date means the whole day.' },
    sort: { placeholder: 'ORDER', about: 'asc or desc, by time within a symbol. Default: asc.' },
    limit: { placeholder: 'ROWS', about: 'Maximum number of rows. Default: all.' },
  },
  operations: ['stockBars', 'stockTrades', 'stockQuotes', 'cryptoBars', 'cryptoTrades', 'cryptoQuotes'],
  example: 'quipu export bars.parquet --frame 1Day --symbols AAPL,MSFT --start 2024-01-01',
  run: async (context) => {
    const { args, config } = context
    const [query, path] = [queryOf(args), resolve(entryIn(args, 'FILE'))]
    const from = oneOf('from', args.get('from') ?? 'imported', ['imported', 'market'])
    const rows = await (from === 'market'
      ? exportMarket(context, query, path)
      : exportImported(config, query, path))
    return printText(context, { file: path, rows }, `${path}: ${counted(rows, 'row')}`)
  },
}

async function exportImported(config: Config, query: ExportQuery, path: string): Promise<number> {
  const { exportRows, openStore } = await loaded()
  const store = openStore(marketFolder(config))
  try {
    return await exportRows(store, query, path)
  } finally {
    store.close()
  }
}

function queryOf(args: CommandContext['args']): ExportQuery {
  const kind = oneOf('kind', args.get('kind') ?? 'bars', ['bars', 'trades', 'quotes'])
  const sort = args.get('sort')
  const limit = args.get('limit')
  if (limit !== undefined && !/^[1-9]\d{0,14}$/.test(limit))
    throw new UsageError(`--limit: expected a whole number from 1 on, received ${limit}`)
  return {
    kind: kind as RowKind,
    ...definedFields({
      frame: kind === 'bars' ? (args.get('frame') ?? '1Min') : undefined,
      symbols: args.get('symbols')?.split(','),
      from: boundOf('start', args.get('start')),
      to: boundOf('end', args.get('end')),
      order: sort === undefined ? undefined : (oneOf('sort', sort, ['asc', 'desc']) as 'asc' | 'desc'),
      limit: limit === undefined ? undefined : Number(limit),
    }),
  }
}

function oneOf(flag: string, value: string, values: readonly string[]): string {
  if (values.includes(value)) return value
  throw new UsageError(`--${flag}: expected ${values.join(', ')}, received ${value}`)
}

function boundOf(flag: 'start' | 'end', text: string | undefined): Bound | undefined {
  if (text === undefined) return undefined
  const instant = parseInstant(text)
  if (instant.ok) return instant.value
  const date = parseDate(text)
  if (!date.ok)
    throw new UsageError(`--${flag}: expected 2024-01-02 or 2024-01-02T14:30:00Z, received ${text}`)
  return date.value
}
