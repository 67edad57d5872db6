import { type BarColumns, type BarQuery, columnsOfBars } from '@quipu/core'
import type { MarketSource } from './market-source.ts'

/** Bars as columns, of any source: where it has none, of its records. */
export const barColumns = async (
  market: Pick<MarketSource, 'bars' | 'barColumns'>,
  query: BarQuery,
): Promise<BarColumns> => market.barColumns?.(query) ?? columnsOfBars(await market.bars(query))
