import { definedFields } from '@quipu/core/values'
import { type Client, createClient } from '@quipu/sdk'
import { type Config, forThisComputer } from '../../config/config.ts'
import { stderrLog } from '../../process/log.ts'
import { removeServerFile, writeServerFile } from '../../process/owner-file.ts'
import { version } from '../../process/version.ts'
import type { RunTarget } from '../../run/session.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import { type Context, Failed, UsageError } from '../command.ts'
import { isServed, operatorOptions, trustOf } from '../find-server.ts'
import { registerServer, unregisterServer } from '../running-servers.ts'
import { targetOf } from '../target.ts'
import { scenarioWorld } from './run-scenario.ts'

/** The broker of a run. */
export type OpenBroker = {
  readonly target: RunTarget
  /** The speed of the clock without --speed. Absent: the clock is unchanged. */
  readonly speed?: string
  close(): Promise<void>
}

/** Opens the broker that the flags select, with the world of the run. */
export async function openBroker(context: Context, scenario: ScenarioFile | undefined): Promise<OpenBroker> {
  const { config, sources, env } = context
  const isDefault = sources.data.source === 'default' && sources.url.source === 'default'
  const selected: Config = isDefault
    ? { ...config, data: { kind: 'memory' } }
    : targetOf({ config, sources, env })
  const isRunning = selected.url !== undefined || (selected.data.kind === 'folder' && isServed(selected))
  const open = isRunning ? useBroker : startBroker
  return open(selected, context, scenario)
}

/** A broker that runs already. The program gets a new key, which is deleted at the end. */
async function useBroker(
  config: Config,
  context: Context,
  scenario: ScenarioFile | undefined,
): Promise<OpenBroker> {
  const options = operatorOptions(config)
  const operator = createClient(options)
  const world = scenario
    ? await scenarioWorld(operator, context, scenario)
    : await openWorld(operator, config, context)
  const {
    key_id: keyId,
    secret_key: secretKey,
    account_id: accountId,
  } = await operator.createKey({
    params: { world },
    body: {},
  })
  if (secretKey === undefined || accountId === undefined)
    throw new Failed(`${world}: the new key has no secret`)
  const upstream = { url: options.url.replace(/\/+$/, ''), tls: trustOf(config) }
  return {
    target: { upstream, operator, world, accountId, keys: { account: { keyId, secretKey } } },
    async close() {
      await operator.deleteKey({ params: { world, key_id: keyId } })
    },
  }
}

/** A broker of this process: in memory, or on a data folder. It stops with the program. */
async function startBroker(
  config: Config,
  context: Context,
  scenario: ScenarioFile | undefined,
): Promise<OpenBroker> {
  const { sources, env } = context
  const log = stderrLog(sources.log.source === 'default' ? 'warn' : config.log)
  const port = sources.port.source === 'default' ? 0 : config.port
  const { startQuipu } = await import('../../start/start.ts')
  // Only this machine reaches the broker: the gateway serves https and the official names.
  const alone = { ...forThisComputer(config, sources), port }
  const quipu = await startQuipu(alone, log)
  const folder = config.data.kind === 'folder' ? config.data.path : undefined
  if (folder !== undefined) {
    writeServerFile(folder, { url: quipu.url, pid: process.pid, version })
    registerServer(env, folder)
  }
  const close = async (): Promise<void> => {
    await quipu.close()
    if (folder !== undefined) {
      unregisterServer(env, folder)
      removeServerFile(folder)
    }
    log.flush()
  }
  try {
    const { url, connect, credentials } = quipu
    const upstream = { url, connect }
    const { keyId, secretKey, brokerKey, brokerSecret, accountId } = credentials
    if (!keyId || !secretKey || !brokerKey || !brokerSecret || !accountId)
      throw new Failed(`${folder}: credentials.json has no keys; run quipu start on it and use --url`)
    const operator = createClient({ url, keyId: brokerKey, secretKey: brokerSecret })
    const world = scenario
      ? await scenarioWorld(operator, context, scenario)
      : await openWorld(operator, config, context, true)
    const keys = { account: { keyId, secretKey }, partner: { keyId: brokerKey, secretKey: brokerSecret } }
    if (world === 'main') return { target: { upstream, operator, world, accountId, keys }, close }
    const created = await operator.createKey({ params: { world }, body: {} })
    const account = { keyId: created.key_id, secretKey: created.secret_key! }
    const target = { upstream, operator, world, accountId: created.account_id!, keys: { account } }
    // Nobody else knows this broker, so nobody else could move a frozen clock.
    return { target, speed: '1', close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The world of the run. It exists, except with a time to start at, and in a broker of the run: worlds but main are in memory. */
async function openWorld(
  operator: Client,
  config: Config,
  { args }: Context,
  isOwn = false,
): Promise<string> {
  const { world } = config
  const [start, speed] = [args.get('start') ?? args.get('from'), args.get('speed')]
  if (args.has('from') && world === 'main') {
    const created = await operator.createWorld({
      body: definedFields({ start, seed: config.seed, hours: config.hours }),
    })
    return created.world
  }
  if (world === 'main') {
    if (args.has('to')) throw new UsageError('run: --to needs --from, or a world with --world NAME')
    if (start !== undefined || speed !== undefined)
      throw new UsageError('--start and --speed need another world than main: add --world NAME')
    return world
  }
  if (start !== undefined || isOwn)
    await operator.createWorld({
      body: definedFields({ world, start, seed: config.seed, hours: config.hours }),
    })
  return world
}
