export { openFilesJournal } from '@quipu/broker/journal/files.ts'
export { createLog, type Log } from '@quipu/broker/log/log.ts'
export { type Config, readConfig } from './config/config.ts'
export { type RunningQuipu, startQuipu } from './start/start.ts'
