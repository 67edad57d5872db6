import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type Command, type Decision, type Instant, MINUTE, parseDecimal, type Ticker } from '@quipu/core'
import { WebSocket } from 'ws'
import type { KeyPair } from '../../access/issue-keys.ts'
import { openTestServer, type TestServer } from '../../http/testing/server.ts'
import { defaultStreamLimits, openStreams, type StreamLimits, type Streams } from '../index.ts'
import { decodeMessagePack } from '../msgpack-decode.ts'
import { encodeMessagePack } from '../msgpack-encode.ts'

export type Stage = TestServer & { readonly streams: Streams; readonly wsUrl: string }

/** A server with both streams on a real socket. Nobody has to wait: refusals are told at once unless asked for. */
export async function openStage(
  limits: Partial<StreamLimits> = {},
  setup: Parameters<typeof openTestServer>[0] = {},
): Promise<Stage> {
  let streams: Streams | undefined
  const server = await openTestServer({ ...setup, upgrade: (...given) => streams!.upgrade(...given) })
  streams = openStreams(server.services, { ...defaultStreamLimits, authFailureDelayMs: 0, ...limits })
  const close = async () => {
    await streams.close()
    await server.close()
  }
  return { ...server, streams, wsUrl: server.url.replace('http', 'ws'), close }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
export type Json = any

export type ClientOptions = {
  readonly headers?: Record<string, string>
  readonly codec?: 'json' | 'messagePack'
  /** False for a client that lets pings go unanswered. */
  readonly autoPong?: boolean
}

/** A client that keeps what it hears, in order, and can be asked for the next of it. */
export class Client {
  readonly ws: WebSocket
  readonly #packed: boolean
  readonly #heard: { readonly message: Json; readonly isBinary: boolean }[] = []
  readonly #waiting: ((heard: { message: Json; isBinary: boolean }) => void)[] = []
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>

  constructor(url: string, { headers = {}, codec = 'json', autoPong = true }: ClientOptions = {}) {
    this.#packed = codec === 'messagePack'
    const type = this.#packed ? { 'Content-Type': 'application/msgpack' } : {}
    this.ws = new WebSocket(url, { headers: { ...type, ...headers }, perMessageDeflate: false, autoPong })
    this.ws.on('message', (data: Buffer, isBinary) => {
      const message = this.#packed ? plain(decodeMessagePack(data)) : JSON.parse(data.toString())
      const waiting = this.#waiting.shift()
      if (waiting) waiting({ message, isBinary })
      else this.#heard.push({ message, isBinary })
    })
    this.ws.on('error', () => undefined)
    this.closed = once(this.ws, 'close').then(([code, reason]) => ({ code, reason: String(reason) }))
  }

  static async open(url: string, options?: ClientOptions): Promise<Client> {
    const client = new Client(url, options)
    await once(client.ws, 'open')
    return client
  }

  say(message: Json): void {
    this.ws.send(this.#packed ? encodeMessagePack(message) : JSON.stringify(message))
  }

  async next(): Promise<Json> {
    return (await this.nextFrame()).message
  }

  nextFrame(): Promise<{ readonly message: Json; readonly isBinary: boolean }> {
    const first = this.#heard.shift()
    return first ? Promise.resolve(first) : new Promise((resolve) => this.#waiting.push(resolve))
  }

  async ask(message: Json): Promise<Json> {
    this.say(message)
    return this.next()
  }

  /** All that was heard before an answer to a ping came back: nothing more was on its way. */
  async rest(): Promise<Json[]> {
    const answered = once(this.ws, 'pong')
    this.ws.ping()
    await answered
    return this.heard()
  }

  /** All that was heard and not asked for yet. */
  heard(): Json[] {
    return this.#heard.splice(0).map(({ message }) => message)
  }

  async leave(): Promise<void> {
    this.ws.close()
    await this.closed
  }
}

/** As JSON would have it, so that both codecs can be compared. */
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value))

/** A market-data client that is in. */
export async function dataClient(
  stage: Stage,
  path: string,
  key: KeyPair = stage.key,
  options?: ClientOptions,
): Promise<Client> {
  const client = await Client.open(stage.wsUrl + path, options)
  assert.deepEqual(await client.next(), [{ T: 'success', msg: 'connected' }])
  const answer = await client.ask({ action: 'auth', key: key.keyId, secret: key.secretKey })
  assert.deepEqual(answer, [{ T: 'success', msg: 'authenticated' }])
  return client
}

/** A client of trade updates that listens. */
export async function updatesClient(
  stage: Stage,
  key: KeyPair = stage.key,
  options?: ClientOptions,
): Promise<Client> {
  const client = await Client.open(`${stage.wsUrl}/stream`, options)
  const data = { key_id: key.keyId, secret_key: key.secretKey }
  assert.equal((await client.ask({ action: 'authenticate', data })).data.status, 'authorized')
  await client.ask({ action: 'listen', data: { streams: ['trade_updates'] } })
  return client
}

export const advance = (stage: Pick<Stage, 'clock'>, minutes: number): Promise<void> =>
  stage.clock.advance((stage.clock.now() + BigInt(minutes) * MINUTE) as Instant)

/** Has an order placed, in the world itself; a market order unless more is said. */
export async function buy(
  { world }: Pick<Stage, 'world'>,
  accountId: Stage['accountId'],
  quantity: string,
  clientOrderId: string,
  more: object = {},
): Promise<Decision> {
  const parsed = parseDecimal(quantity)
  assert.ok(parsed.ok)
  const command = {
    kind: 'placeOrder',
    accountId,
    clientOrderId,
    symbol: 'AAPL' as Ticker,
    side: 'buy',
    type: 'market',
    timeInForce: 'day',
    extendedHours: false,
    quantity: parsed.value,
    ...more,
  } as unknown as Command
  return (await world.submit(command, (_, decision) => decision)).value
}
