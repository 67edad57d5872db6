import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { inTemporaryFolder } from '@quipu/broker/data-folder/file-operations.ts'
import type { ExportQuery } from '@quipu/broker/import/export.ts'
import { definedFields, formatInstant } from '@quipu/core/values'
import type { Client } from '@quipu/sdk'
import { type CommandContext, UsageError } from '../command.ts'
import { counted } from '../output.ts'

const PAGE = 10_000

type PageQuery = {
  readonly symbols: readonly string[]
  readonly start: string | undefined
  readonly end: string | undefined
  readonly limit: number
  readonly page_token: string | undefined
}
type Page = { readonly [list: string]: unknown; readonly next_page_token: string | null }

/**
 * Exports market data of the running server, imported or generated. The pages of the API are imported into a temporary
 * store first, so that all exports use the same code.
 */
export async function exportMarket(
  context: CommandContext,
  query: ExportQuery,
  path: string,
): Promise<number> {
  if (!query.symbols) throw new UsageError('export: --from market needs --symbols')
  const { symbols: wanted } = query
  const { exportRows, importFiles } = await import('@quipu/broker/import/index.ts')
  const { openStore } = await import('@quipu/broker/market/store/index.ts')
  return inTemporaryFolder('quipu-export-', async (folder) => {
    const pages = join(folder, 'pages.ndjson')
    const rows = await writePages(context, query, pages)
    if (rows === 0) throw new UsageError('export: the market has no such data')
    const store = openStore(join(folder, 'store'))
    const { kind, frame } = query
    const series = { kind, ...definedFields({ frame }) }
    await importFiles(store, [pages], series, () => undefined)
    try {
      const symbols = wanted.filter((symbol) => store.find({ ...series, symbol }))
      return await exportRows(store, { ...query, symbols }, path)
    } finally {
      store.close()
    }
  })
}

/** One response page per line. */
async function writePages(
  { operator, note }: CommandContext,
  query: ExportQuery,
  path: string,
): Promise<number> {
  const file = createWriteStream(path)
  const client = operator()
  const { symbols = [] } = query
  const { exportRange } = await import('@quipu/broker/import/index.ts')
  let rows = 0
  for (const isPair of [false, true]) {
    const symbolsOfClass = symbols.filter((symbol) => symbol.includes('/') === isPair)
    const { from, to } = exportRange(query, symbolsOfClass[0] ?? '')
    let token: string | null | undefined = symbolsOfClass.length === 0 ? null : undefined
    while (token !== null) {
      const page: Page = await pageOf(client, query, isPair, {
        symbols: symbolsOfClass,
        start: from === undefined ? undefined : formatInstant(from),
        end: to === undefined ? undefined : formatInstant(to),
        limit: PAGE,
        page_token: token,
      })
      for (const list of Object.values(page[query.kind] as Record<string, unknown[]>)) rows += list.length
      file.write(`${JSON.stringify(page)}\n`)
      token = page.next_page_token
      note(`${counted(rows, 'row')} read`)
    }
  }
  file.end()
  await finished(file)
  return rows
}

function pageOf(
  client: Client,
  { kind, frame = '1Min' }: ExportQuery,
  isPair: boolean,
  query: PageQuery,
): Promise<Page> {
  const params = { loc: 'us' } as const
  const bars = { ...query, timeframe: frame }
  if (kind === 'bars')
    return isPair ? client.cryptoBars({ params, query: bars }) : client.stockBars({ query: bars })
  if (kind === 'trades')
    return isPair ? client.cryptoTrades({ params, query }) : client.stockTrades({ query })
  return isPair ? client.cryptoQuotes({ params, query }) : client.stockQuotes({ query })
}
