export { type Fault, ImportStopped, ImportUsage } from './failures.ts'
export { type Gap, gapsOf } from './gaps.ts'
export type * from './options.ts'
export { importFiles } from './run.ts'
