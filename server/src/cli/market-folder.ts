import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { UsageError } from './command.ts'

/** The folder of imported data. A server that runs on the data folder sees new imports. */
export const marketFolder = (config: Config): string => join(dataFolder(config), 'market')

export function dataFolder({ data, url }: Config): string {
  if (url !== undefined)
    throw new UsageError(
      'import and export work on the data folder of this machine: leave --url out, and name it with --data',
    )
  if (data.kind === 'memory') throw new UsageError('what is in memory has no folder: name one with --data')
  return resolve(data.path)
}
