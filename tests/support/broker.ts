import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { request } from '../../server/src/http/testing/request.ts'
import { program, serverFlags, serverNode } from './program.ts'

/** The JSON line that `quipu start --json` prints when the server is ready. */
export type Started = {
  readonly url: string
  readonly version: string
  readonly dataFolder?: string
  readonly accountId: string
  readonly keyId: string
  readonly secretKey: string
  readonly brokerKey: string
  readonly brokerSecret: string
  readonly oauthClientId: string
  readonly oauthClientSecret: string
  readonly oauthRedirectUri: string
  readonly userName: string
  readonly userPassword: string
  /** Only after the first start of a data folder. */
  readonly signInUrl?: string
}

export type Broker = Started & {
  readonly process: ChildProcess
  /** The stderr output so far. */
  log(): string
  /** Stops the process with SIGTERM and returns its exit code. */
  stop(): Promise<number | null>
  /** Kills the process with SIGKILL, like a crash. */
  kill(): Promise<void>
}

const folders: string[] = []
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** An empty folder that is deleted at the end of the test process. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-'))
  folders.push(folder)
  return folder
}

/** The brokers of tests are registered apart from the brokers of the user. */
const registry = newFolder()

/**
 * The environment without the variables that the shell may have set for another broker. QUIPU_READERS stays, so that
 * all tests can run with any number of history threads.
 */
export function plainEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const isOther = /^(QUIPU_(?!READERS$)|APCA_|npm_|NODE_TEST)/
  const kept = Object.entries(process.env).filter(([name]) => !isOther.test(name))
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    XDG_STATE_HOME: registry,
    QUIPU_RUNS: 'off',
    ...extra,
  }
}

/** Starts the real program in its own process, on a free port. Without `--data` it keeps nothing: a spec leaves no folder. */
export async function startBroker(
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  file = program,
  node = serverNode,
): Promise<Broker> {
  const data = flags.includes('--data') ? [] : ['--data', 'memory']
  const words = ['start', '--json', '--port', '0', '--exit-with-parent', ...data, ...flags]
  const child = spawn(node, [...serverFlags, file, ...words], {
    env: plainEnvironment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text
  })
  const ended = once(child, 'exit') as Promise<[number | null]>
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(([code]) => Promise.reject(new Error(`the broker exited with ${code}: ${log}`))),
  ])) as [string]
  return {
    ...(JSON.parse(line) as Started),
    process: child,
    log: () => log,
    async stop() {
      child.kill('SIGTERM')
      return (await ended)[0]
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape of the body that it expects
export type Body = any

/** Sends an HTTP request, by default with the trading key. */
export async function call(
  broker: Pick<Started, 'url' | 'keyId' | 'secretKey'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: Body; readonly headers: Headers }> {
  const isText = body === undefined || typeof body === 'string'
  const sent = {
    'APCA-API-KEY-ID': broker.keyId,
    'APCA-API-SECRET-KEY': broker.secretKey,
    ...(isText ? {} : { 'Content-Type': 'application/json' }),
    ...headers,
  }
  const response = await request(broker.url + path, method, sent, isText ? body : JSON.stringify(body))
  const isJson = response.headers.get('content-type')?.includes('json')
  return { ...response, body: response.text && isJson ? JSON.parse(response.text) : response.text }
}

/** Sends an HTTP request with the operator key, which is also the key of the first partner of main. */
export const callAsOperator = (
  { url, brokerKey: keyId, brokerSecret: secretKey }: Started,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
) => call({ url, keyId, secretKey }, method, path, body, headers)

/** Creates a world with a virtual clock; its market is the same in every run. */
export async function newWorld(broker: Started, settings: Readonly<Record<string, unknown>> = {}) {
  const { status, body } = await callAsOperator(broker, 'POST', '/sim/v1/worlds', settings)
  if (status !== 201) throw new Error(`world not created: ${JSON.stringify(body)}`)
  const [account] = body.accounts
  return {
    world: body.world as string,
    accountId: account.account_id as string,
    url: broker.url,
    keyId: account.key_id as string,
    secretKey: account.secret_key as string,
    partner: {
      url: broker.url,
      keyId: body.partner.key_id as string,
      secretKey: body.partner.secret_key as string,
    },
    created: body,
    advance: (by: string) =>
      callAsOperator(broker, 'POST', `/sim/v1/worlds/${body.world}/clock/advance`, { by }),
  }
}
