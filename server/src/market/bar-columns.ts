import { type BarColumns, type BarQuery, columnsOfBars } from '@quipu/core'
import type { MarketSource } from './market-source.ts'

/** Bars of any source as columns. If the source has no columns, they are built from its records. */
export const barColumns = async (
  market: Pick<MarketSource, 'bars' | 'barColumns'>,
  query: BarQuery,
): Promise<readonly BarColumns[]> => market.barColumns?.(query) ?? [columnsOfBars(await market.bars(query))]

export const rowsIn = (pieces: readonly BarColumns[]): number =>
  pieces.reduce((sum, { count }) => sum + count, 0)
