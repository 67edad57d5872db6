import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { UsageError } from './command.ts'

/** Where imported data lies. A server that runs on the folder sees what is imported into it. */
export function marketFolder({ data, url }: Config): string {
  if (url !== undefined)
    throw new UsageError(
      'import and export work on the data folder of this machine: leave --url out, and name it with --data',
    )
  if (data.kind === 'memory') throw new UsageError('what is in memory has no folder: name one with --data')
  return join(resolve(data.path), 'market')
}
