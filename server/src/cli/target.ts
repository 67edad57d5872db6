import { existsSync } from 'node:fs'
import type { Config, Sources } from '../config/config.ts'
import { flagOf } from '../config/setting.ts'
import { readCredentials } from '../owner-file.ts'
import { NoServer } from './command.ts'
import { type RunningServer, runningServers } from './running-servers.ts'

type Given = {
  readonly config: Config
  readonly sources: Sources
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The settings with the server and the data folder that a command works on:
 *   --data     wins over an address and an operator key of variables or quipu.json
 *   nothing    ./.quipu if that folder exists, else the data folder of the only server this user runs
 */
export function targetOf(given: Given): Config {
  const { config, sources } = given
  if (sources.data.source === flagOf('data')) return withFolder(config, sources)
  const elsewhere = serversElsewhere(given)
  if (elsewhere.length === 0) return config
  if (elsewhere.length > 1) throw new NoServer(severalServers(elsewhere))
  return { ...config, data: { kind: 'folder', path: elsewhere[0]!.folder } }
}

/** The running servers of this user, where neither the settings nor the working folder name one. */
export function serversElsewhere({ config: { data, url }, sources, env }: Given): readonly RunningServer[] {
  if (url !== undefined || data.kind === 'memory') return []
  if (sources.data.source !== 'default' || existsSync(data.path)) return []
  return runningServers(env)
}

export const severalServers = (servers: readonly RunningServer[]): string =>
  `${servers.length} servers are running: name one with --data: ` +
  servers.map(({ folder, url }) => `${folder} (${url})`).join(', ')

/** A flag wins over a variable, also where the two are different settings. */
function withFolder(config: Config, sources: Sources): Config {
  const isFlag = (name: 'url' | 'brokerKey'): boolean => sources[name].source === flagOf(name)
  const url = isFlag('url') ? config.url : undefined
  const stored = config.data.kind === 'folder' ? readCredentials(config.data.path) : {}
  const hasOwnKey = stored.brokerKey !== undefined && url === undefined && !isFlag('brokerKey')
  return { ...config, url, ...(hasOwnKey && { brokerKey: undefined, brokerSecret: undefined }) }
}
