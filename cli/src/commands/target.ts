import { existsSync } from 'node:fs'
import { readCredentials } from '@quipu/broker/data-folder/owner-file.ts'
import type { Config, Sources } from '@quipu/server/config/config.ts'
import { NoServer } from './command.ts'
import { type RunningServer, runningServers } from './running-servers.ts'

type TargetInput = {
  readonly config: Config
  readonly sources: Sources
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The settings with the server and the data folder of a command. The first that is set wins:
 *   flags        --url, then --data
 *   variables    QUIPU_URL, then QUIPU_DATA
 *   quipu.json   url, then data
 *   default      ./.quipu if that folder exists, else the data folder of the only running server of this user
 */
export function targetOf(input: TargetInput): Config {
  const { config, sources } = input
  if (rankOf(sources.data) < rankOf(sources.url)) return withFolder(config, sources)
  const elsewhere = serversElsewhere(input)
  if (elsewhere.length === 0) return config
  if (elsewhere.length > 1) throw new NoServer(severalServers(elsewhere))
  return { ...config, data: { kind: 'folder', path: elsewhere[0]!.folder } }
}

/** The running servers of this user, if neither the settings nor the working folder select one. */
export function serversElsewhere({
  config: { data, url },
  sources,
  env,
}: TargetInput): readonly RunningServer[] {
  if (url !== undefined || data.kind === 'memory') return []
  if (sources.data.source !== 'default' || existsSync(data.path)) return []
  return runningServers(env)
}

export const severalServers = (servers: readonly RunningServer[]): string =>
  `${servers.length} servers are running: select one with --data: ` +
  servers.map(({ folder, url }) => `${folder} (${url})`).join(', ')

/** Flags come before variables, variables before quipu.json, and quipu.json before defaults. */
function rankOf({ source }: Sources[keyof Sources]): number {
  if (source.startsWith('--')) return 0
  return ['quipu.json', 'default'].indexOf(source) + 2
}

/** The folder is set with a higher rank than any URL, and its operator key replaces one of a lower rank. */
function withFolder(config: Config, sources: Sources): Config {
  const stored = config.data.kind === 'folder' ? readCredentials(config.data.path) : {}
  const hasOwnKey = stored.brokerKey !== undefined && rankOf(sources.data) < rankOf(sources.brokerKey)
  const withoutUrl = { ...config, url: undefined }
  return hasOwnKey ? { ...withoutUrl, brokerKey: undefined, brokerSecret: undefined } : withoutUrl
}
