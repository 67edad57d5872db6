// Run files: read, measure and show them. An entry of its own, so that programs that trade do not load it.
export { drawdownOf, type Fall, groupOf, holdOf, type RunGroup, verdictWord } from './figures.ts'
export { RunFileError, readRun, readRunRecord } from './read-run.ts'
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
export { type RunLogLine, runLog, runPage } from './run-page.ts'
export { type RunTrade, tradesOf } from './trades.ts'
