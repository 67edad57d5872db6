import { type BarColumns, type BarQuery, columnsOfBars } from '@quipu/core'
import type { MarketSource } from './market-source.ts'

/** Bars as columns, in pieces, of any source: where it has none, of its records. */
export const barColumns = async (
  market: Pick<MarketSource, 'bars' | 'barColumns'>,
  query: BarQuery,
): Promise<readonly BarColumns[]> => market.barColumns?.(query) ?? [columnsOfBars(await market.bars(query))]

export const rowsIn = (pieces: readonly BarColumns[]): number =>
  pieces.reduce((sum, { count }) => sum + count, 0)
