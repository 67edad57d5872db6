import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { WebSocket } from 'ws'
import { type Broker, call, newWorld, startBroker } from '../broker.ts'

/** The same world played twice, each time in a process of its own, is heard the same: byte by byte, in both codecs. */
let brokers: readonly [Broker, Broker]
before(async () => {
  brokers = [await startBroker(), await startBroker()]
})
after(() => Promise.all(brokers.map((broker) => broker.stop())))

type World = Awaited<ReturnType<typeof newWorld>>
type Lists = Readonly<Record<string, readonly string[]>>

const json = 'application/json'
const messagePack = 'application/msgpack'
const symbols = ['AAPL', 'MSFT', 'SPY']
const pairs = ['BTC/USD', 'ETH/USD']
const ticks = { trades: ['AAPL'], quotes: ['AAPL'], bars: ['*'], dailyBars: symbols, updatedBars: ['*'] }

const streams: readonly (readonly [path: string, type: string, lists: Lists | undefined])[] = [
  ['/v2/iex', json, { ...ticks, statuses: ['*'], lulds: ['AAPL'] }],
  ['/v2/iex', messagePack, { ...ticks, statuses: ['*'], lulds: ['AAPL'] }],
  ['/v2/delayed_sip', messagePack, { bars: symbols }],
  ['/v2/test', json, { trades: ['*'], quotes: ['*'], bars: ['*'] }],
  ['/v1beta3/crypto/us', json, { trades: pairs, quotes: pairs, bars: pairs, orderbooks: pairs }],
  ['/v1beta3/crypto/us', messagePack, { trades: pairs, quotes: pairs, bars: pairs, orderbooks: pairs }],
  ['/stream', json, undefined],
]

/** What one stream has said, every frame as it came. */
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
    for (const said of lists ? [{ action: 'subscribe', ...lists }] : tradeUpdates(world)) {
      const before = recorder.frames.length
      socket.send(JSON.stringify(said))
      while (recorder.frames.length === before) await once(socket, 'message')
      await recorder.allHeard()
    }
    return recorder
  }

  /** Answers to pings come after everything that was on its way. */
  async allHeard(): Promise<void> {
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

/** The calls of a play, one after the other. */
async function play(broker: Broker): Promise<readonly (readonly string[])[]> {
  const world = await newWorld(broker, { seed: 'twice', start: '2026-01-05T14:28:00Z' })
  const recorders: Recorder[] = []
  for (const stream of streams) recorders.push(await Recorder.open(world, ...stream))
  const order = { symbol: 'AAPL', qty: '3', side: 'buy', type: 'market', time_in_force: 'day' }
  await world.advance('3m')
  await call(world, 'POST', '/v2/orders', { ...order, client_order_id: 'one' })
  await world.advance('90s')
  await call(world, 'POST', '/v2/orders', { ...order, qty: '1', side: 'sell', client_order_id: 'two' })
  await world.advance('61s')
  for (const recorder of recorders) await recorder.allHeard()
  for (const recorder of recorders) recorder.close()
  return recorders.map(({ frames }) => frames)
}

test('one world played twice is heard the same, frame by frame', async () => {
  const [first, second] = await Promise.all(brokers.map(play))
  for (const [index, [path, type]] of streams.entries()) {
    const [one, other] = [first![index]!, second![index]!]
    assert.ok(one.length > 5, `${path} as ${type} said only ${one.length} things`)
    assert.deepEqual(other, one, `${path} as ${type}`)
  }
})

test('another seed is heard differently', async () => {
  const heard: string[][] = []
  for (const seed of ['one', 'another']) {
    const world = await newWorld(brokers[0], { seed, start: '2026-01-05T15:00:00Z' })
    const recorder = await Recorder.open(world, '/v2/iex', json, { bars: ['AAPL'] })
    await world.advance('2m')
    await recorder.allHeard()
    recorder.close()
    heard.push(recorder.frames)
  }
  assert.equal(heard[0]!.length, heard[1]!.length)
  assert.notDeepEqual(heard[0], heard[1])
})
