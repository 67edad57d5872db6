import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import type { KeyPair } from '@quipu/broker/access/issue-keys.ts'
import { stockChannels, streamErrors } from '@quipu/contract'
import { type Command, type Decision, type Instant, MINUTE, parseDecimal, type Ticker } from '@quipu/core'
import { WebSocket } from 'ws'
import type { Services } from '../../http/services.ts'
import { openTestServer, type TestServer } from '../../http/testing/server.ts'
import { openStreams, type RunningStreams } from '../index.ts'
import { decodeMessagePack, encodeMessagePack } from '../msgpack.ts'

export type Stage = TestServer & { readonly streams: RunningStreams; readonly wsUrl: string }

/** A server with both streams on a real socket. Refusals are sent without the usual delay. */
export async function openStage(
  limits: Partial<Services['limits']> = {},
  setup: Parameters<typeof openTestServer>[0] = {},
): Promise<Stage> {
  let streams: RunningStreams | undefined
  const server = await openTestServer({ ...setup, upgrade: (...args) => streams!.upgrade(...args) })
  streams = openStreams({
    ...server.services,
    limits: { ...server.services.limits, authFailureDelayMs: 0, ...limits },
  })
  const close = async () => {
    await streams.close()
    await server.close()
  }
  return { ...server, streams, wsUrl: server.url.replace('http', 'ws'), close }
}

/** A stage for one test. */
export async function stageFor(t: TestContext, ...args: Parameters<typeof openStage>): Promise<Stage> {
  const stage = await openStage(...args)
  t.after(() => stage.close())
  return stage
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
export type Json = any

export type ClientOptions = {
  readonly headers?: Record<string, string>
  readonly codec?: 'json' | 'messagePack'
  /** False for a client that does not answer pings. */
  readonly autoPong?: boolean
}

/** A client that queues the received messages; `next` returns them in order. */
export class Client {
  readonly ws: WebSocket
  readonly #packed: boolean
  readonly #received: { readonly message: Json; readonly isBinary: boolean }[] = []
  readonly #waiting: ((frame: { message: Json; isBinary: boolean }) => void)[] = []
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>

  constructor(url: string, { headers = {}, codec = 'json', autoPong = true }: ClientOptions = {}) {
    this.#packed = codec === 'messagePack'
    const type = this.#packed ? { 'Content-Type': 'application/msgpack' } : {}
    this.ws = new WebSocket(url, { headers: { ...type, ...headers }, perMessageDeflate: false, autoPong })
    this.ws.on('message', (data: Buffer, isBinary) => {
      const message = this.#packed ? plain(decodeMessagePack(data)) : JSON.parse(data.toString())
      const waiting = this.#waiting.shift()
      if (waiting) waiting({ message, isBinary })
      else this.#received.push({ message, isBinary })
    })
    this.ws.on('error', () => undefined)
    this.closed = once(this.ws, 'close').then(([code, reason]) => ({ code, reason: String(reason) }))
  }

  static async open(url: string, options?: ClientOptions): Promise<Client> {
    const client = new Client(url, options)
    await once(client.ws, 'open')
    return client
  }

  send(message: Json): void {
    this.ws.send(this.#packed ? encodeMessagePack(message) : JSON.stringify(message))
  }

  async next(): Promise<Json> {
    return (await this.nextFrame()).message
  }

  nextFrame(): Promise<{ readonly message: Json; readonly isBinary: boolean }> {
    const first = this.#received.shift()
    return first
      ? Promise.resolve(first)
      : this.#unlessClosed(new Promise((resolve) => this.#waiting.push(resolve)))
  }

  async request(message: Json): Promise<Json> {
    this.send(message)
    return this.next()
  }

  /** All messages received until a ping is answered, so that none is still on its way. */
  async rest(): Promise<Json[]> {
    const pong = once(this.ws, 'pong')
    this.ws.ping()
    await this.#unlessClosed(pong)
    return this.received()
  }

  /** Fails when the connection closes, because nothing more arrives then. */
  #unlessClosed<Value>(arriving: Promise<Value>): Promise<Value> {
    const closed = this.closed.then(({ code, reason }): never => {
      throw new Error(`the server closed the connection with ${code} ${reason}`)
    })
    return Promise.race([arriving, closed])
  }

  /** All received messages that were not read yet. */
  received(): Json[] {
    return this.#received.splice(0).map(({ message }) => message)
  }

  /** All messages that were not read yet, once the server has closed the connection. */
  async untilClosed(): Promise<Json[]> {
    await this.closed
    return this.received()
  }

  async leave(): Promise<void> {
    this.ws.close()
    await this.closed
  }
}

/** The JSON form of a value, so that both codecs can be compared. */
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value))

/** An authenticated market-data client. */
export async function dataClient(
  stage: Stage,
  path: string,
  key: KeyPair = stage.key,
  options?: ClientOptions,
): Promise<Client> {
  const client = await Client.open(stage.wsUrl + path, options)
  assert.deepEqual(await client.next(), [{ T: 'success', msg: 'connected' }])
  const response = await client.request({ action: 'auth', key: key.keyId, secret: key.secretKey })
  assert.deepEqual(response, [{ T: 'success', msg: 'authenticated' }])
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
  assert.equal((await client.request({ action: 'authenticate', data })).data.status, 'authorized')
  await client.request({ action: 'listen', data: { streams: ['trade_updates'] } })
  return client
}

export const advance = (stage: Pick<Stage, 'clock'>, minutes: number): Promise<boolean> =>
  stage.clock.advance((stage.clock.now() + BigInt(minutes) * MINUTE) as Instant)

/** Places an order directly in the world; a market order by default. */
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
  return (await world.commands.submit(command, (_, decision) => decision)).value
}

export const streamError = (code: keyof typeof streamErrors) => [
  { T: 'error', code, msg: streamErrors[code].message },
]
const noSymbols = Object.fromEntries(stockChannels.map((channel) => [channel, []]))
/** The response to a subscription of stocks. */
export const acknowledged = (lists: Json) => [{ T: 'subscription', ...noSymbols, ...lists }]
