import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Client, ClientOptions } from '@quipu/sdk'
import { type ProgramOptions, runProgram } from './child.ts'
import type { CleanUp } from './clean-up.ts'
import { ClockFile } from './clock-file.ts'
import { childEnvironment, type Environment, outerProxy, trustedCertificates } from './environment.ts'
import { type CertificateFiles, certificateFiles } from './gateway/certificate-files.ts'
import { type OpenGateway, openGateway } from './gateway/gateway.ts'
import { GatewayKeys, type IsKnown, type WorldKeys } from './gateway/keys.ts'
import {
  checkNamespaces,
  HOSTS_PORT,
  hostsAddresses,
  listenRefusal,
  withHosts,
  writeHosts,
} from './gateway/private-hosts.ts'
import { type Observer, Traffic } from './gateway/traffic.ts'
import type { GatewayUpstream } from './gateway/upstream.ts'
import { type LockStepOptions, type ReplaySummary, replayProgram } from './lock-step/replay.ts'
import { LockStep } from './lock-step/runner.ts'
import { preloadText } from './preload.ts'
import { type PythonClock, pythonSiteText, writePythonClock } from './python-site.ts'
import { checkResponses, Measurement, type RunSummary } from './report/measure.ts'

/** The broker and the world that a program runs against. */
export type RunTarget = {
  readonly upstream: GatewayUpstream
  readonly operator: Client
  /** How other clients reach the broker. */
  readonly endpoint: Pick<ClientOptions, 'url' | 'fetch'>
  readonly world: string
  readonly accountId: string
  readonly keys: WorldKeys
  readonly cleanUp: CleanUp
}

export type RunOptions = Pick<
  ProgramOptions,
  'signal' | 'umask' | 'guard' | 'hasOutput' | 'onOutput' | 'restart'
> & {
  readonly command: readonly string[]
  readonly env: Environment
  /** Where the certificate authority is kept. */
  readonly authorityFolder: string
  /** Refuse keys that the broker does not know. */
  readonly strictKeys: boolean
  /** Give the program its own /etc/hosts. Linux only. */
  readonly privateHosts: boolean
  /** Run the clock of the world at this speed while the program runs. */
  readonly speed?: string | undefined
  /** How far the clock of the program is wrong, in a replay. */
  readonly clockOffsetMs?: number | undefined
  /** Run the program through a span of time in lock-step. */
  readonly replay?: (LockStepOptions & { readonly stepMs: number }) | undefined
  /** End with `NOT_EXACT` if something in the program did not follow the clock of a replay. */
  readonly mustBeExact?: boolean
  /** Receives the result of the run. Not called if no request arrived. */
  readonly onSummary: (summary: RunSummary) => void | Promise<void>
  /** Receives the reason why there is no result. Default: a note. */
  readonly onNoSummary?: (error: Error) => void
  /** Watches the requests and streams of the program. */
  readonly observer?: Observer | undefined
  readonly note: (text: string) => void
}

/** No request of the program arrived, and the program itself did not fail. As EX_SOFTWARE of sysexits.h. */
export const NOTHING_ARRIVED = 70

/** A replay that must be exact was not. */
export const NOT_EXACT = 71

const PRELOAD = 'preload.cjs'
/** Above this speed a timeout of 10 seconds ends within 100 milliseconds. */
const FAST = 100

/** Runs a program whose requests to the official hosts go to the broker. */
export async function runAgainst(target: RunTarget, options: RunOptions): Promise<number> {
  if (options.privateHosts) checkNamespaces()
  const traffic = new Traffic(options.observer)
  const files = await certificateFiles(options.authorityFolder)
  const folder = mkdtempSync(join(tmpdir(), 'quipu-run-'))
  let opened: Opened | undefined
  let measurement: Measurement | undefined
  try {
    opened = await openFor(target, options, folder, files, traffic)
    measurement = await Measurement.start({ ...target, account: target.keys.account })
    const env = await environmentOf(folder, files.authority, target, options, opened)
    const { exit, replay } = await runInTime(target, options, folder, opened, env)
    if (traffic.requests === 0) {
      options.note(nothingArrived(options))
      return exit || NOTHING_ARRIVED
    }
    // The exit code of the program stays, whatever happens to its summary.
    const { onNoSummary = ({ message }) => options.note(`quipu run: no summary: ${message}`) } = options
    await checkResponses(target)
      .then(() => measurement!.summary(traffic, exit))
      .then((summary) => options.onSummary(replay ? { ...summary, replay } : summary))
      .catch(onNoSummary)
    return exit || (options.mustBeExact && replay && replay.mode !== 'exact' ? NOT_EXACT : 0)
  } finally {
    measurement?.stop()
    opened?.lockStep?.close()
    const remove = (): void => rmSync(folder, { recursive: true, force: true })
    await target.cleanUp.step(`the folder ${folder} was not deleted`, remove)
    await opened?.gateway.close()
  }
}

type Opened = { readonly gateway: OpenGateway; readonly lockStep: LockStep | undefined }

async function openFor(
  target: RunTarget,
  options: RunOptions,
  folder: string,
  files: CertificateFiles,
  traffic: Traffic,
): Promise<Opened> {
  const outer = outerProxy(options.env)
  if (outer === 'unusable')
    options.note('quipu run: the proxy of the environment is not http or https, so it is not used')
  const { observer } = options
  const isObserved = observer?.watchesMessages === true
  const lockStep =
    options.replay &&
    (await LockStep.open(folder, target.upstream, target.keys.account, {
      isObserved,
      clockOffsetMs: options.clockOffsetMs,
      restart: options.restart,
    }))
  if (lockStep) observer?.useClock?.(() => lockStep.clock.now)
  try {
    const gateway = await openGateway({
      upstream: target.upstream,
      traffic,
      keys: options.strictKeys ? undefined : new GatewayKeys(target.keys, isKnownTo(target), traffic),
      lockStep,
      certificate: files.server,
      outer: outer === 'unusable' ? undefined : outer,
      alsoAt: options.privateHosts ? { addresses: hostsAddresses, port: HOSTS_PORT } : undefined,
    })
    return { gateway, lockStep }
  } catch (error) {
    lockStep?.close()
    throw options.privateHosts ? listenRefusal(error as NodeJS.ErrnoException) : error
  }
}

type Ended = { readonly exit: number; readonly replay?: ReplaySummary }

/** Runs the program by the clock of its world: in lock-step, at a speed, or with the time of the machine. */
async function runInTime(
  target: RunTarget,
  options: RunOptions,
  folder: string,
  { gateway, lockStep }: Opened,
  env: Record<string, string>,
): Promise<Ended> {
  const run = (program: ProgramOptions = options): Promise<number> =>
    runProgram(commandIn(folder, options.command, gateway), env, program)
  const { replay } = options
  if (!lockStep || !replay) return { exit: await withClock(target, options, folder, () => run()) }
  const { stepMs, ...span } = replay
  const { clock, pipes } = lockStep
  const preload = join(folder, PRELOAD)
  const hosts = readFileSync(preload, 'utf8')
  // The official hosts are mapped on top, so that lock-step sees the connections to the listener.
  const steps = await preloadText('lock-step', {
    file: clock.file,
    pipe: pipes.steps,
    gate: pipes.gate,
    tlsPort: gateway.tlsPort,
    proxyPort: gateway.proxyPort,
    stepMs,
  })
  writeFileSync(preload, steps + hosts)
  const ended = await replayProgram(target, lockStep, span, ({ signal, killAfterMs }) => {
    const signals = options.signal ? [signal, options.signal] : [signal]
    const { onOutput } = options
    const onPipes = onOutput && ((pipes: readonly Readable[]) => lockStep.output.follow(pipes))
    const atTheirTime: ProgramOptions = {
      onOutput: onOutput && ((stream, bytes) => lockStep.clock.atTime(() => onOutput(stream, bytes))),
    }
    return run({ ...options, ...atTheirTime, signal: AbortSignal.any(signals), killAfterMs, onPipes })
  })
  // The last output was passed on.
  await lockStep.clock.atTime(() => undefined)
  return ended
}

/** Runs the clock of a virtual world while the program runs, and gives the program its time. */
async function withClock(
  { operator, world, cleanUp }: RunTarget,
  { speed, observer }: Pick<RunOptions, 'speed' | 'observer'>,
  folder: string,
  run: () => Promise<number>,
): Promise<number> {
  const params = { world }
  if (speed !== undefined) await operator.runClock({ params, body: { speed } })
  const file = join(folder, 'clock.json')
  const clock = await ClockFile.open(operator, world, file)
  if (clock) {
    observer?.useClock?.(() => clock.now)
    appendFileSync(join(folder, PRELOAD), await preloadText('world-time', file))
  }
  try {
    return await run()
  } finally {
    clock?.close()
    if (speed !== undefined)
      await cleanUp.step(`the clock of world ${world} was not stopped`, (options) =>
        operator.freezeClock({ params }, options),
      )
  }
}

/** Writes the files that the program loads into `folder`, and names them in its environment. */
async function environmentOf(
  folder: string,
  authority: string,
  { keys }: RunTarget,
  { env, replay, onOutput }: RunOptions,
  { gateway: { proxyUrl, proxyPort, tlsPort, secretLine }, lockStep }: Opened,
): Promise<Record<string, string>> {
  const bundle = join(folder, 'certificates.pem')
  writeFileSync(bundle, trustedCertificates(env, authority))
  const nodePreload = join(folder, PRELOAD)
  const settings = { port: tlsPort, secretLine: replay ? undefined : secretLine }
  writeFileSync(nodePreload, await preloadText('official-hosts', settings))
  const pythonFolder = join(folder, 'python')
  mkdirSync(pythonFolder)
  let clock: PythonClock | undefined
  // Elsewhere nobody has run it, and the waits in the kernel have other names.
  if (lockStep && process.platform === 'linux') {
    const { steps: pipe, gate } = lockStep.pipes
    clock = { file: lockStep.clock.file, pipe, gate, tlsPort, proxyPort }
    writePythonClock(pythonFolder)
  }
  writeFileSync(join(pythonFolder, 'sitecustomize.py'), pythonSiteText(tlsPort, secretLine, clock))
  const own = {
    // Python keeps its output to a pipe back, so that it would come long after the requests that belong to it.
    ...(onOutput && { PYTHONUNBUFFERED: '1', ...colors(env) }),
    // Else the order of sets differs in each run.
    ...(clock && { PYTHONHASHSEED: '0' }),
    ...env,
  }
  return childEnvironment(own, { proxyUrl, tlsPort, key: keys.account, bundle, nodePreload, pythonFolder })
}

/** A program sees no terminal behind the pipes. This variable says that colors are shown. */
const colors = (env: Environment): Environment =>
  process.stdout.isTTY && process.stderr.isTTY && env['NO_COLOR'] === undefined ? { FORCE_COLOR: '1' } : {}

function commandIn(folder: string, command: readonly string[], { address }: OpenGateway): readonly string[] {
  if (address === undefined) return command
  const file = join(folder, 'hosts')
  writeHosts(file, address)
  return withHosts(file, command)
}

function nothingArrived({ command: [command], privateHosts, speed }: RunOptions): string {
  const line = `quipu run: no request of ${command} arrived at the broker.`
  if (Number(speed) > FAST)
    return `${line} At --speed ${speed} the timeouts of libraries end early: use --to, which waits for requests (docs/guides/backtest.md)`
  if (privateHosts) return `${line} It sent none to an official host.`
  return `${line} If it sent some, it ignores proxies or its environment: try --hosts (docs/guides/run.md)`
}

/** Reads the lists of keys. To try the key instead would leave a failed attempt and a part of the key in the log. */
const isKnownTo =
  ({ operator, world }: RunTarget): IsKnown =>
  async (keyId) => {
    const lists = await Promise.all(
      [...new Set([world, 'main'])].map((name) => operator.listKeys({ params: { world: name } })),
    )
    return lists.flat().some((key) => key.key_id === keyId)
  }
