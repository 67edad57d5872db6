import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@quipu/sdk'
import { certificateFiles } from './certificate-files.ts'
import { runProgram } from './child.ts'
import { ClockFile } from './clock-file.ts'
import { childEnvironment, type Environment, outerProxy, trustedCertificates } from './environment.ts'
import type { Upstream } from './forward.ts'
import { type OpenGateway, openGateway } from './gateway.ts'
import { type IsKnown, Keys, type WorldKeys } from './keys.ts'
import { Measurement, type RunSummary } from './measure.ts'
import { nodePreloadText } from './node-preload.ts'
import {
  checkNamespaces,
  HOSTS_PORT,
  hostsAddresses,
  listenRefusal,
  withHosts,
  writeHosts,
} from './private-hosts.ts'
import { pythonSiteText } from './python-site.ts'
import { type Observer, Traffic } from './traffic.ts'
import { worldTimeText } from './world-time.ts'

/** The broker and the world that a program runs against. */
export type RunTarget = {
  readonly upstream: Upstream
  readonly operator: Client
  readonly world: string
  readonly accountId: string
  readonly keys: WorldKeys
}

export type RunOptions = {
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
  /** Receives the result of the run. Not called if no request arrived. */
  readonly onSummary: (summary: RunSummary) => void
  /** Watches the requests and streams of the program. */
  readonly observer?: Observer | undefined
  /** Ends the program when it aborts. */
  readonly signal?: AbortSignal | undefined
  /** Whether the program writes to our stdout and stderr. Default: true. */
  readonly hasOutput?: boolean
  readonly note: (text: string) => void
}

/** No request of the program arrived, and the program itself did not fail. As EX_SOFTWARE of sysexits.h. */
export const NOTHING_ARRIVED = 70

const PRELOAD = 'preload.cjs'

/** Runs a program whose requests to the official hosts go to the broker. */
export async function runAgainst(target: RunTarget, options: RunOptions): Promise<number> {
  if (options.privateHosts) checkNamespaces()
  const traffic = new Traffic(options.observer)
  const files = await certificateFiles(options.authorityFolder)
  const outer = outerProxy(options.env)
  if (outer === 'unusable')
    options.note('quipu run: the proxy of the environment is not http or https, so it is not used')
  const gateway = await openGateway({
    upstream: target.upstream,
    traffic,
    keys: options.strictKeys ? undefined : new Keys(target.keys, isKnownTo(target), traffic),
    certificate: files.server,
    outer: outer === 'unusable' ? undefined : outer,
    alsoAt: options.privateHosts ? { addresses: hostsAddresses, port: HOSTS_PORT } : undefined,
  }).catch((error: NodeJS.ErrnoException) => {
    throw options.privateHosts ? listenRefusal(error) : error
  })
  const folder = mkdtempSync(join(tmpdir(), 'quipu-run-'))
  let measurement: Measurement | undefined
  try {
    measurement = await Measurement.start(target)
    const env = environmentOf(folder, files.authority, target, options, gateway)
    const exit = await withClock(target, options.speed, folder, () =>
      runProgram(commandIn(folder, options.command, gateway), env, options),
    )
    if (traffic.requests === 0) {
      options.note(nothingArrived(options))
      return exit || NOTHING_ARRIVED
    }
    // The exit code of the program stays, whatever happens to its summary.
    await measurement
      .summary(traffic, exit)
      .then(options.onSummary)
      .catch((error: Error) => options.note(`quipu run: no summary: ${error.message}`))
    return exit
  } finally {
    measurement?.stop()
    rmSync(folder, { recursive: true, force: true })
    await gateway.close()
  }
}

/** Runs the clock of a virtual world while the program runs, and gives the program its time. */
async function withClock(
  { operator, world }: RunTarget,
  speed: string | undefined,
  folder: string,
  run: () => Promise<number>,
): Promise<number> {
  const params = { world }
  if (speed !== undefined) await operator.runClock({ params, body: { speed } })
  const file = join(folder, 'clock.json')
  const clock = await ClockFile.open(operator, world, file)
  if (clock) appendFileSync(join(folder, PRELOAD), worldTimeText(file))
  try {
    return await run()
  } finally {
    clock?.close()
    if (speed !== undefined) await operator.freezeClock({ params })
  }
}

/** Writes the files that the program loads into `folder`, and names them in its environment. */
function environmentOf(
  folder: string,
  authority: string,
  { keys }: RunTarget,
  { env }: RunOptions,
  { url: proxyUrl, tlsPort }: OpenGateway,
): Record<string, string> {
  const bundle = join(folder, 'certificates.pem')
  writeFileSync(bundle, trustedCertificates(env, authority))
  const nodePreload = join(folder, PRELOAD)
  writeFileSync(nodePreload, nodePreloadText(tlsPort))
  const pythonFolder = join(folder, 'python')
  mkdirSync(pythonFolder)
  writeFileSync(join(pythonFolder, 'sitecustomize.py'), pythonSiteText(tlsPort))
  return childEnvironment(env, { proxyUrl, tlsPort, key: keys.account, bundle, nodePreload, pythonFolder })
}

function commandIn(folder: string, command: readonly string[], { address }: OpenGateway): readonly string[] {
  if (address === undefined) return command
  const file = join(folder, 'hosts')
  writeHosts(file, address)
  return withHosts(file, command)
}

function nothingArrived({ command: [command], privateHosts }: RunOptions): string {
  const line = `quipu run: no request of ${command} arrived at the broker.`
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
