import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as reference from '@msgpack/msgpack'
import { type DataStream, dataStreams } from '@quipu/contract'
import { advance, Client, dataClient, type Json, openStage, type Stage } from './testing/sockets.ts'

let stage: Stage
before(async () => {
  stage = await openStage()
})
after(() => stage.close())

/** Reads timestamps as seconds and nanoseconds, like other libraries. */
const timestamps = new reference.ExtensionCodec()
timestamps.register({
  type: -1,
  encode: () => null,
  decode: (bytes) => reference.decodeTimestampToTimeSpec(bytes),
})
const decoded = (bytes: Buffer): Json =>
  reference.decode(bytes, { extensionCodec: timestamps, useBigInt64: true })

/** Collects the raw frames that a client receives from now on. */
function framesOf(client: Client): { readonly bytes: Buffer; readonly isBinary: boolean }[] {
  const frames: { bytes: Buffer; isBinary: boolean }[] = []
  client.ws.on('message', (bytes: Buffer, isBinary) => frames.push({ bytes, isBinary }))
  return frames
}

for (const { path, channels, kind, locations } of Object.values<DataStream>(dataStreams)) {
  const loc = locations?.[0] ?? ''
  for (const codec of ['json', 'messagePack'] as const)
    test(`${path} as ${codec}: an acknowledgement has every channel, alone in its array`, async () => {
      const client = await dataClient(stage, path.replace('{loc}', loc), stage.key, { codec })
      if (kind === 'options' && codec === 'json') assert.equal((await client.next())[0].code, 412)
      else {
        const nil = Object.fromEntries(
          Object.values<DataStream>(dataStreams).flatMap((other) =>
            other.channels.map((c) => [c, null] as const),
          ),
        )
        const response = await client.request({ action: 'subscribe', ...nil })
        const empty = Object.fromEntries(channels.map((channel) => [channel, []]))
        assert.deepEqual(response, [{ T: 'subscription', ...empty }])
        assert.deepEqual(Object.keys(response[0] ?? {}), ['T', ...channels])
      }
      await client.leave()
    })
}

/** The keys of each message beside `T` and `S`. */
const keys: Readonly<Record<string, string>> = {
  'stocks t': 'i x p s c t z',
  'stocks q': 'bx bp bs ax ap as c t z',
  'stocks b': 'o h l c v t n vw',
  'stocks d': 'o h l c v t n vw',
  'crypto t': 'p s t i tks',
  'crypto q': 'bp bs ap as t',
  'crypto b': 'o h l c v t n vw',
  'crypto d': 'o h l c v t n vw',
  'crypto o': 't b a',
}

const markets = [
  ['stocks', '/v2/iex', { trades: ['AAPL'], quotes: ['AAPL'], bars: ['AAPL'], dailyBars: ['AAPL'] }],
  [
    'crypto',
    '/v1beta3/crypto/us',
    {
      trades: ['BTC/USD'],
      quotes: ['BTC/USD'],
      bars: ['BTC/USD'],
      dailyBars: ['BTC/USD'],
      orderbooks: ['BTC/USD'],
    },
  ],
] as const

for (const [market, path, lists] of markets)
  test(`${market}: both codecs send the same messages, with T first and times to the nanosecond`, async () => {
    const clients = [
      await dataClient(stage, path),
      await dataClient(stage, path, stage.key, { codec: 'messagePack' }),
    ] as const
    for (const client of clients) await client.request({ action: 'subscribe', ...lists })
    const [texts, packed] = [framesOf(clients[0]), framesOf(clients[1])]
    await advance(stage, 2)
    for (const client of clients) await client.rest()
    assert(texts.every(({ isBinary }) => !isBinary) && packed.every(({ isBinary }) => isBinary))
    const messages = texts.flatMap(({ bytes }) => JSON.parse(String(bytes)) as Json[])
    const unpacked = packed.flatMap(({ bytes }) => decoded(bytes) as Json[])
    const kinds = Object.keys(keys).filter((key) => key.startsWith(market))
    assert.deepEqual([...new Set(messages.map(({ T }) => `${market} ${T}`))].sort(), kinds.sort())
    assert.equal(messages.length, unpacked.length)
    for (const [index, message] of messages.entries()) assertSameMessage(market, message, unpacked[index])
    for (const client of clients) await client.leave()
  })

function assertSameMessage(market: string, message: Json, packed: Json): void {
  assert.deepEqual(Object.keys(message).slice(0, 2), ['T', 'S'])
  assert.deepEqual(Object.keys(packed), Object.keys(message))
  const messageKeys = Object.keys(message).filter((key) => !['T', 'S', 'r'].includes(key))
  assert.deepEqual(messageKeys.sort(), keys[`${market} ${message.T}`]!.split(' ').sort())
  const { sec, nsec } = packed.t
  const fraction = nsec === 0 ? '' : `.${String(nsec).padStart(9, '0').replace(/0+$/, '')}`
  assert.equal(new Date(sec * 1000).toISOString().replace('.000Z', `${fraction}Z`), message.t)
  const plain = JSON.parse(
    JSON.stringify(packed, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
  )
  assert.deepEqual({ ...plain, t: message.t }, message)
  if (market === 'stocks')
    for (const field of ['s', 'bs', 'as', 'v', 'n', 'i'])
      assert(message[field] === undefined || Number.isSafeInteger(message[field]), field)
}

test('the first order book is complete, later ones are changes, always with both sides', async () => {
  const client = await dataClient(stage, '/v1beta3/crypto/us')
  client.send({ action: 'subscribe', orderbooks: ['ETH/USD'] })
  assert.deepEqual((await client.next())[0].orderbooks, ['ETH/USD'])
  await advance(stage, 1)
  const books = (await client.rest()).flat()
  assert.deepEqual(
    books.map(({ r }) => r),
    [true, ...Array(books.length - 1).fill(undefined)],
  )
  assert(books.length > 2 && books.every(({ a, b }) => Array.isArray(a) && Array.isArray(b)))
  await client.leave()
})

test('an error code is encoded as a small integer, not in 64 bits', async () => {
  const client = await dataClient(stage, '/v2/iex', stage.key, { codec: 'messagePack' })
  const frames = framesOf(client)
  await client.request({ action: 'sing' })
  const { bytes } = frames[0]!
  assert.ok(bytes.includes(Buffer.from([...Buffer.from('\xa4code', 'latin1'), 0xcd, 400 >> 8, 400 & 0xff])))
  assert.equal(typeof decoded(bytes)[0].code, 'number')
  await client.leave()
})

test('a MessagePack message in fragments, the last one empty, is one message', async () => {
  const client = await dataClient(stage, '/v2/iex', stage.key, { codec: 'messagePack' })
  client.ws.send(reference.encode({ action: 'subscribe', bars: ['AAPL'] }), { fin: false })
  client.ws.send(Buffer.alloc(0), { fin: true })
  assert.deepEqual((await client.next())[0].bars, ['AAPL'])
  await client.leave()
})

const types: readonly (readonly [type: string | undefined, isBinary: boolean])[] = [
  [undefined, false],
  ['application/json', false],
  ['text/plain', false],
  ['application/msgpack', true],
  ['Application/MsgPack; charset=binary', true],
]
for (const [type, isBinary] of types)
  test(`Content-Type ${type ?? 'absent'} gets ${isBinary ? 'MessagePack' : 'JSON'}`, async () => {
    const headers = type === undefined ? {} : { 'Content-Type': type }
    const codec = isBinary ? 'messagePack' : 'json'
    const client = await Client.open(`${stage.wsUrl}/v2/iex`, { headers, codec })
    const welcome = { message: [{ T: 'success', msg: 'connected' }], isBinary }
    assert.deepEqual(await client.nextFrame(), welcome)
    await client.leave()
  })
