import { join, resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { localFolder } from '../find-server.ts'

/** The folder of imported data. A server that runs on the data folder sees new imports. */
export const marketFolder = (config: Config): string => join(dataFolder(config), 'market')

export const dataFolder = (config: Config): string => resolve(localFolder(config, 'this command'))
