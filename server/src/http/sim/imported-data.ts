import { FolderInUse } from '@quipu/broker/data-folder/folder.ts'
import { described, importedSeriesOf, type Library } from '@quipu/broker/market/library.ts'
import type { Series, SeriesKey } from '@quipu/broker/market/store/index.ts'
import type { Worlds } from '@quipu/broker/registry/worlds.ts'
import type { OutputOf } from '@quipu/contract'
import type { ImportedSeries } from '@quipu/core'
import { formatInstant } from '@quipu/core/values'
import { refuse } from '../../wire/refusal.ts'
import type { SomeHandlers } from '../context.ts'
import { worldNamed } from './world-named.ts'

/** A server without a data folder has no library and no imported data. */
export const importedDataHandlers = (worlds: Worlds, library: Library | undefined) =>
  ({
    listData: () => (library?.list() ?? []).map((series) => seriesToWire(series, worldsWith(worlds, series))),

    deleteData: ({ query: { symbol, kind, frame } }) => {
      const matching = (library?.list() ?? []).filter(
        (one) =>
          one.symbol === symbol &&
          (kind === undefined || one.kind === kind) &&
          (frame === undefined || one.frame === frame),
      )
      if (matching.length === 0) throw refuse({ code: 'dataNotFound', symbol })
      for (const series of matching) {
        const [world] = worldsWith(worlds, series)
        if (world) throw refuse({ code: 'dataInUse', world, data: described(importedSeriesOf(series)) })
      }
      try {
        library?.delete(matching)
      } catch (error) {
        throw error instanceof FolderInUse ? refuse({ code: 'importRunning' }) : error
      }
      return matching.map((series) => seriesToWire(series, []))
    },

    useData: async ({ params, body }, context) => {
      const world = worldNamed(params.world, context)
      if (world.market.live) throw refuse({ code: 'marketFromUpstream', world: world.id })
      const data = dataOf(library, body.symbols)
      await library?.check(world.id, data)
      library?.pin(world.id, data)
      const used = await context.state.execute(
        world,
        { kind: 'useImportedData', data },
        ({ importedData }) => importedData,
      )
      return used.map((one) => ({ ...one }))
    },
  }) satisfies SomeHandlers

/** All imported series of these symbols, or of all symbols. */
export function dataOf(
  library: Library | undefined,
  symbols: readonly string[] | undefined,
): readonly ImportedSeries[] {
  const all = library?.list() ?? []
  const missing = symbols?.find((symbol) => !all.some((one) => one.symbol === symbol))
  if (missing !== undefined) throw refuse({ code: 'dataNotFound', symbol: missing })
  if (all.length === 0) throw refuse({ code: 'dataNotFound', symbol: 'any symbol' })
  const selected = symbols && new Set(symbols)
  return all.filter(({ symbol }) => selected?.has(symbol) ?? true).map(importedSeriesOf)
}

const worldsWith = (worlds: Worlds, series: SeriesKey): readonly string[] =>
  worlds
    .all()
    .filter((world) => world.status.isUp && world.view.importedData.some((one) => isSame(one, series)))
    .map(({ id }) => id)

const isSame = (a: SeriesKey, b: SeriesKey): boolean =>
  a.symbol === b.symbol && a.kind === b.kind && a.frame === b.frame

const seriesToWire = (
  { symbol, kind, frame, rows, bytes, first, last }: Series,
  worlds: readonly string[],
): OutputOf<'listData'>[number] => ({
  symbol,
  kind,
  frame,
  rows,
  bytes,
  first: formatInstant(first),
  last: formatInstant(last),
  worlds: [...worlds],
})
