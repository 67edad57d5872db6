import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { WebSocket } from 'ws'
import { type Broker, call, newWorld, startBroker } from '../support/broker.ts'
import { broker as shared } from '../support/shared-broker.ts'

/** The same world in two processes sends the same bytes, in both encodings. */
let brokers: readonly [Broker, Broker]
before(async () => {
  brokers = [shared, await startBroker()]
})
after(() => brokers[1].stop())

type World = Awaited<ReturnType<typeof newWorld>>
type Lists = Readonly<Record<string, readonly string[]>>

const json = 'application/json'
const messagePack = 'application/msgpack'
const symbols = ['AAPL', 'MSFT', 'SPY']
/** `npm run test:long` adds a pair, the bars of all symbols, and the other encoding of two streams. */
const isLong = process.env['MARKETS'] === 'all'
const pairs = isLong ? ['BTC/USD', 'ETH/USD'] : ['BTC/USD']
const bars = isLong ? ['*'] : symbols
const ticks = { trades: ['AAPL'], quotes: ['AAPL'], bars, dailyBars: symbols, updatedBars: bars }

type Stream = readonly [path: string, type: string, lists: Lists | undefined]

const otherEncodings: readonly Stream[] = [
  ['/v2/iex', json, { ...ticks, statuses: ['*'], lulds: ['AAPL'] }],
  ['/v1beta3/crypto/us', messagePack, { trades: pairs, quotes: pairs, bars: pairs, orderbooks: pairs }],
]
const streams: readonly Stream[] = [
  ['/v2/iex', messagePack, { ...ticks, statuses: ['*'], lulds: ['AAPL'] }],
  ['/v2/delayed_sip', messagePack, { bars: symbols }],
  ['/v2/test', json, { trades: ['*'], quotes: ['*'], bars: ['*'] }],
  ['/v1beta3/crypto/us', json, { trades: pairs, quotes: pairs, bars: pairs, orderbooks: pairs }],
  ['/stream', json, undefined],
  ...(isLong ? otherEncodings : []),
]

/** Records all frames of a stream. */
class Recorder {
  readonly frames: string[] = []
  readonly #socket: WebSocket

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data: Buffer, isBinary) => {
      this.frames.push(`${isBinary ? 'binary' : 'text'} ${data.toString('latin1')}`)
    })
  }

  static async open(world: World, path: string, type: string, lists: Lists | undefined): Promise<Recorder> {
    const headers = {
      'Content-Type': type,
      ...(lists && { 'APCA-API-KEY-ID': world.keyId, 'APCA-API-SECRET-KEY': world.secretKey }),
    }
    const socket = new WebSocket(world.url.replace('http', 'ws') + path, { headers })
    const recorder = new Recorder(socket)
    await once(socket, 'open')
    for (const message of lists ? [{ action: 'subscribe', ...lists }] : tradeUpdates(world)) {
      const before = recorder.frames.length
      socket.send(JSON.stringify(message))
      while (recorder.frames.length === before) await once(socket, 'message')
      await recorder.drain()
    }
    return recorder
  }

  /** Waits for a pong, which follows all earlier frames. */
  async drain(): Promise<void> {
    const answered = once(this.#socket, 'pong')
    this.#socket.ping()
    await answered
  }

  close(): void {
    this.#socket.terminate()
  }
}

const tradeUpdates = ({ keyId, secretKey }: World) => [
  { action: 'authenticate', data: { key_id: keyId, secret_key: secretKey } },
  { action: 'listen', data: { streams: ['trade_updates'] } },
]

/** Runs the same requests in a new world and returns the frames of each stream. */
async function runWorld(broker: Broker): Promise<readonly (readonly string[])[]> {
  const world = await newWorld(broker, { seed: 'twice', start: '2026-01-05T14:29:00Z' })
  const recorders: Recorder[] = []
  for (const stream of streams) recorders.push(await Recorder.open(world, ...stream))
  const order = { symbol: 'AAPL', qty: '3', side: 'buy', type: 'market', time_in_force: 'day' }
  await world.advance('2m')
  await call(world, 'POST', '/v2/orders', { ...order, client_order_id: 'one' })
  await world.advance('90s')
  await call(world, 'POST', '/v2/orders', { ...order, qty: '1', side: 'sell', client_order_id: 'two' })
  await world.advance('61s')
  for (const recorder of recorders) await recorder.drain()
  for (const recorder of recorders) recorder.close()
  return recorders.map(({ frames }) => frames)
}

test('the same world sends the same frames in two processes', async () => {
  const [first, second] = await Promise.all(brokers.map(runWorld))
  for (const [index, [path, type]] of streams.entries()) {
    const [one, other] = [first![index]!, second![index]!]
    assert.ok(one.length > 5, `${path} as ${type} sent only ${one.length} frames`)
    assert.deepEqual(other, one, `${path} as ${type}`)
  }
})

test('another seed sends different frames', async () => {
  const recorded: string[][] = []
  for (const seed of ['one', 'another']) {
    const world = await newWorld(brokers[0], { seed, start: '2026-01-05T15:00:00Z' })
    const recorder = await Recorder.open(world, '/v2/iex', json, { bars: ['AAPL'] })
    await world.advance('2m')
    await recorder.drain()
    recorder.close()
    recorded.push(recorder.frames)
  }
  assert.equal(recorded[0]!.length, recorded[1]!.length)
  assert.notDeepEqual(recorded[0], recorded[1])
})
