export { assertSeries } from './assert-series.ts'
export type { SeriesRecord } from './blocks.ts'
export { ImportedDataMissing, StoreChanged, StoreDamaged, StoreNewer } from './failures.ts'
export { pinnedBy, readPins, removePins, storePins } from './pins.ts'
export * from './rows.ts'
export { type Order, type Range, Series, type SeriesRows, type Slice } from './series.ts'
export { isPair, isSymbol, type SeriesKey, seriesName } from './series-key.ts'
export {
  copyPinned,
  openStore,
  type SeriesBlocks,
  type Store,
  type StoreOptions,
  storePinned,
} from './store.ts'
export type { SeriesIntake, Stored, StoreWriter, WriteOptions } from './writer.ts'
