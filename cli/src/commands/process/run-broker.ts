import { resolve } from 'node:path'
import { removeServerFile, writeServerFile } from '@quipu/broker/data-folder/owner-file.ts'
import { version } from '@quipu/broker/data-folder/version.ts'
import { stderrLog } from '@quipu/broker/log/log.ts'
import { definedFields } from '@quipu/core/values'
import { type Client, createClient } from '@quipu/sdk'
import { type Config, forThisComputer } from '@quipu/server/config/config.ts'
import { shellWord } from '@quipu/server/doctor/shell-word.ts'
import type { ScenarioFile } from '@quipu/server/scenarios/scenario-file.ts'
import { CleanUp } from '../../run/clean-up.ts'
import type { RunTarget } from '../../run/session.ts'
import { symbolsOfRun } from '../../run/world-symbols.ts'
import { type CommandContext, CommandFailed, UsageError } from '../command.ts'
import { closableOptions, isServed, plainFetch, trustOf } from '../find-server.ts'
import { registerServer, unregisterServer } from '../running-servers.ts'
import { targetOf } from '../target.ts'
import { createdWorld } from './created-world.ts'
import { guardSignals, type SignalGuard } from './interruption.ts'
import { importedPrices } from './run-prices.ts'
import { scenarioWorld } from './run-scenario.ts'

/** A broker for runs. */
export type OpenBroker = Pick<RunTarget, 'upstream' | 'operator' | 'endpoint'> & {
  /** Whether this process started it. Then nobody else knows it. */
  readonly isOwn: boolean
  /** The flags that select it in another command. */
  readonly flags: string
  close(): Promise<void>
}

/** The broker, the world and the account of a run. */
export type OpenRun = {
  readonly target: RunTarget
  /** The speed of the clock without --speed. Absent: the clock is unchanged. */
  readonly speed?: string
  /** Whether the account was opened for the run. */
  readonly hasNewAccount: boolean
  /** Whether the world stays after the run. */
  readonly keepsWorld: boolean
  /** From the first key on, which is deleted whenever a signal comes. */
  readonly guard: SignalGuard
  /** Deletes the keys of the run, and stops a broker that this process started. */
  close(): Promise<void>
}

/** The cash of a new account, as of the first account of a world. */
const CASH = '100000'

/** Opens the broker that the flags select. */
export async function openBroker(context: CommandContext): Promise<OpenBroker> {
  const { config, sources, env } = context
  const prices = await importedPrices(context)
  if (prices) {
    const data = { kind: 'memory', market: prices.folder } as const
    const broker = await startBroker({ ...config, data }, context).catch((error: unknown) => {
      prices.remove()
      throw error
    })
    return { ...broker, close: () => broker.close().finally(prices.remove) }
  }
  const isDefault = sources.data.source === 'default' && sources.url.source === 'default'
  const selected: Config = isDefault
    ? { ...config, data: { kind: 'memory' } }
    : targetOf({ config, sources, env })
  const isRunning = selected.url !== undefined || (selected.data.kind === 'folder' && isServed(selected))
  return isRunning ? useBroker(selected) : startBroker(selected, context)
}

/** Opens the broker, and the world and the account that the program trades with. The program gets new keys. */
export async function openRun(context: CommandContext, scenario: ScenarioFile | undefined): Promise<OpenRun> {
  const broker = await openBroker(context)
  const { operator, upstream, endpoint, isOwn } = broker
  const issued: IssuedKey[] = []
  const cleanUp = new CleanUp((text) => context.note(`quipu run: ${text}`))
  let guard: SignalGuard | undefined
  const close = (): Promise<void> => closeRun(broker, issued, cleanUp).finally(() => guard?.close())
  try {
    const { world, isNew } = scenario
      ? { world: await scenarioWorld(operator, context, scenario), isNew: true }
      : await openWorld(operator, context, isOwn)
    const newKey = async (body: NewKey) => {
      const {
        key_id: keyId,
        secret_key: secretKey,
        account_id: account,
      } = await operator.createKey({
        params: { world },
        body,
      })
      issued.push({ world, key_id: keyId })
      return { pair: { keyId, secretKey: secretKey! }, account }
    }
    const shared = context.args.get('account') ?? (isOwn || isNew ? FIRST : undefined)
    const accountId = shared ?? (await openAccount(operator, world))
    guard = guardSignals()
    const account = await newKey(accountId === FIRST ? {} : { account_id: accountId })
    // The partner has no rights of an operator, which would outlast the run.
    const partner = isOwn && world === 'main' ? await newKey({ kind: 'partner' }) : undefined
    return {
      target: {
        upstream,
        operator,
        endpoint,
        world,
        accountId: account.account!,
        keys: { account: account.pair, partner: partner?.pair },
        cleanUp,
      },
      hasNewAccount: shared === undefined,
      keepsWorld: !isOwn,
      guard,
      // Nobody else could move a frozen clock.
      ...(isOwn && world !== 'main' && { speed: '1' }),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

type IssuedKey = { readonly world: string; readonly key_id: string }

async function closeRun(
  { operator, flags, close }: OpenBroker,
  issued: readonly IssuedKey[],
  cleanUp: CleanUp,
): Promise<void> {
  for (const params of issued)
    await cleanUp.step(
      `key ${params.key_id} was not deleted`,
      (within) => operator.deleteKey({ params }, within),
      `quipu key delete ${params.key_id} --world ${params.world}${flags}`,
    )
  await cleanUp.step('the broker did not stop', close)
}

type NewKey = NonNullable<Parameters<Client['createKey']>[0]['body']>

/** The word for the first account of a world. */
const FIRST = 'first'

async function openAccount(operator: Client, world: string): Promise<string> {
  const { id } = await operator.createAccount({ body: { cash: CASH }, headers: { 'x-quipu-world': world } })
  return id
}

/** A broker that runs already. */
async function useBroker(config: Config): Promise<OpenBroker> {
  const { options, close } = closableOptions(config)
  const upstream = { url: options.url.replace(/\/+$/, ''), tls: await trustOf(config) }
  const { url, fetch } = options
  const endpoint = { url, ...(fetch && { fetch }) }
  const operator = createClient(options)
  return { upstream, endpoint, operator, isOwn: false, flags: flagsOf(config), close }
}

/** The working folder, or the environment, of the next command may be another one. */
function flagsOf({ url, ca, data }: Config): string {
  const folder = data.kind === 'folder' ? ` --data ${shellWord(resolve(data.path))}` : ''
  const authority = ca === undefined ? '' : ` --ca ${shellWord(resolve(ca))}`
  return url === undefined ? folder : ` --url ${shellWord(url)}${authority}`
}

/** A broker of this process: in memory, or on a data folder. It stops with the program. */
async function startBroker(config: Config, { args, sources, env }: CommandContext): Promise<OpenBroker> {
  const log = stderrLog(sources.log.source === 'default' ? 'warn' : config.log)
  const port = sources.port.source === 'default' ? 0 : config.port
  const { startQuipu } = await import('@quipu/server/start/start.ts')
  // Only this machine reaches the broker: the gateway serves https and the official names.
  // The market of a data folder belongs to its user.
  const isAny = config.data.kind === 'memory' && !args.has('strict-symbols')
  const { added } = config.symbols ?? { added: [] }
  const symbols = isAny ? { added, isAny } : config.symbols
  const alone = { ...forThisComputer(config, sources), port, symbols }
  const quipu = await startQuipu(alone, log)
  const folder = config.data.kind === 'folder' ? config.data.path : undefined
  if (folder !== undefined) {
    writeServerFile(folder, { url: quipu.url, pid: process.pid, version, store: config.store.kind })
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
  const { url, connect, credentials } = quipu
  const { brokerKey, brokerSecret } = credentials
  if (!brokerKey || !brokerSecret) {
    await close()
    throw new CommandFailed(`${folder}: credentials.json has no keys; run quipu start on it and use --url`)
  }
  const operator = createClient({ url, fetch: plainFetch, keyId: brokerKey, secretKey: brokerSecret })
  const upstream = { url, connect }
  return {
    upstream,
    endpoint: { url, fetch: plainFetch },
    operator,
    isOwn: true,
    flags: flagsOf(config),
    close,
  }
}

/** The world of the run. It exists, except with a time to start at, and in a broker of the run: worlds but main are in memory. */
async function openWorld(operator: Client, context: CommandContext, isOwn: boolean): Promise<OpenWorld> {
  const { config, args } = context
  const { world, seed } = config
  const created = await createdWorld(context)
  const [{ start }, speed] = [created, args.get('speed')]
  // The market of imported prices has their symbols only.
  const market = args.has('prices')
    ? ({ market: 'replay' } as const)
    : symbolsOfRun(args.has('strict-symbols'))
  const settings = { ...definedFields({ ...created, seed }), ...market }
  if (args.has('from') && world === 'main') {
    const { world: name } = await operator.createWorld({ body: settings })
    return { world: name, isNew: true }
  }
  if (world === 'main') {
    if (args.has('to')) throw new UsageError('run: --to needs --from, or a world with --world NAME')
    if (start !== undefined || speed !== undefined)
      throw new UsageError('--start and --speed need another world than main: add --world NAME')
    return { world, isNew: false }
  }
  const isNew = start !== undefined || isOwn
  if (isNew) await operator.createWorld({ body: { world, ...settings } })
  return { world, isNew }
}

type OpenWorld = { readonly world: string; readonly isNew: boolean }
