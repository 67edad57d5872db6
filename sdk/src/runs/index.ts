// Run files: read, measure and show them. An entry of its own, so that programs that trade do not load it.
export { type Estimate, estimateOf } from './bootstrap.ts'
export { type RunCosts, signOf, slippageIn } from './costs.ts'
export { drawdownOf, type Fall, groupOf, holdOf, type RunGroup, verdictWord } from './figures.ts'
export { plainText } from './plain-text.ts'
export { RunFileError, readRun, readRunRecord } from './read-run.ts'
export { type FigureTable, figureTables, provenanceRows } from './run-figures-page.ts'
export type {
  Run,
  RunDrill,
  RunEquity,
  RunEvent,
  RunFault,
  RunFile,
  RunFill,
  RunOutput,
  RunParts,
  RunPrice,
  RunRequest,
  RunUnfilled,
} from './run-file.ts'
export { RUN_FILE_FORMAT, runFileLines } from './run-file.ts'
export { basketText, type RunLogLine, runLog, runPage } from './run-page.ts'
export {
  type Distribution,
  type Histogram,
  histogramOf,
  type SeedResult,
  type SeedStatistics,
  seedStatistics,
  zeroSentence,
} from './seeds.ts'
export {
  type DayFigures,
  type RunStatistics,
  type StatisticsInput,
  statisticsOf,
  type TradeFigures,
  worthOf,
} from './statistics.ts'
export { type RunTrade, tradesOf } from './trades.ts'
