export { assertSeries } from './assert-series.ts'
export type { SeriesRecord } from './blocks.ts'
export { ImportedDataMissing, StoreChanged, StoreDamaged, StoreNewer } from './failures.ts'
export { pinnedBy, readPins, removePins, storePins } from './pins.ts'
export * from './rows.ts'
export { type RowOrder, type RowRange, Series, type SeriesRows, type Slice } from './series.ts'
export { isPairKey, isSymbol, type SeriesKey, seriesName } from './series-key.ts'
export {
  copyPinned,
  type MarketStore,
  openStore,
  type SeriesBlocks,
  type StoreOptions,
  storePinned,
} from './store.ts'
export type { SeriesIntake, Stored, StoreWriter, WriteOptions } from './writer.ts'
