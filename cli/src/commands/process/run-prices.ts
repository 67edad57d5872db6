import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { formatInstant } from '@quipu/core/values'
import { type CommandContext, UsageError } from '../command.ts'

/** The prices of --prices, imported into a folder of the run. */
export type RunPrices = { readonly folder: string; remove(): void }

/** Imports the files of --prices; undefined without them. A bad row stops it, as in `quipu import`. */
export async function importedPrices({
  args,
  sources,
  note,
}: CommandContext): Promise<RunPrices | undefined> {
  const files = args.get('prices')?.split('\n')
  if (!files) return undefined
  if (!args.has('from')) throw new UsageError('run: --prices needs --from and --to, the span of the replay')
  for (const flag of ['scenario', 'seeds'])
    if (args.has(flag)) throw new UsageError(`run: --prices is not for --${flag}, which has its own market`)
  if (sources.data.source !== 'default' || sources.url.source !== 'default')
    throw new UsageError('run: --prices is for a broker of the run; use `quipu import` for a data folder')
  const missing = files.find((file) => !existsSync(file))
  if (missing !== undefined) throw new UsageError(`run: --prices: ${missing} does not exist`)
  const [{ importFiles }, { openStore }] = await Promise.all([
    import('@quipu/broker/import/index.ts'),
    import('@quipu/broker/market/store/index.ts'),
  ])
  const folder = mkdtempSync(join(tmpdir(), 'quipu-prices-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const store = openStore(folder)
    const paths = files.map((file) => resolve(file))
    const { series } = await importFiles(store, paths, {}, () => undefined)
    store.close()
    const what = series.map(
      ({ kind, frame, symbol, rows, first, last }) =>
        `${symbol} ${rows} ${[kind, frame].filter(Boolean).join(' of ')}, ${dayOf(first)} to ${dayOf(last)}`,
    )
    if (!args.has('quiet'))
      note(`quipu run: prices of ${files.map((file) => basename(file)).join(', ')}: ${what.join('; ')}`)
    return { folder, remove }
  } catch (error) {
    remove()
    throw error
  }
}

const dayOf = (at: Parameters<typeof formatInstant>[0]): string => formatInstant(at).slice(0, 10)
