import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { streamErrors } from '@quipu/contract'
import {
  acknowledged,
  Client,
  dataClient,
  type Json,
  openStage,
  type Stage,
  streamError,
} from './testing/sockets.ts'

let stage: Stage
before(async () => {
  stage = await openStage({ symbolsMax: 3 })
})
after(() => stage.close())

test('the welcome is the first message, also if the client authenticates without waiting for it', async () => {
  const client = await Client.open(`${stage.wsUrl}/v2/iex`)
  client.send({ action: 'auth', key: stage.key.keyId, secret: stage.key.secretKey })
  assert.deepEqual(await client.next(), [{ T: 'success', msg: 'connected' }])
  assert.deepEqual(await client.next(), [{ T: 'success', msg: 'authenticated' }])
  await client.leave()
})

const refusals: readonly (readonly [state: 'in' | 'out', request: Json, code: keyof typeof streamErrors])[] =
  [
    ['out', { action: 'subscribe', bars: ['AAPL'] }, 401],
    ['out', { action: 'unsubscribe', bars: ['AAPL'] }, 401],
    ['out', { action: 'auth', key: 'nobody', secret: 'nothing' }, 402],
    ['out', { action: 'auth', key: 'oauth', secret: 'no token' }, 402],
    ['out', { action: 'auth', key: 5, secret: 'x' }, 400],
    ['out', { action: 'auth' }, 400],
    ['out', { action: 'sing' }, 400],
    ['out', [{ action: 'auth' }], 400],
    ['out', 'auth', 400],
    ['out', null, 400],
    ['in', { action: 'auth', key: 'a', secret: 'b' }, 403],
    ['in', { action: 'subscribe', bars: 'AAPL' }, 400],
    ['in', { action: 'subscribe', bars: [5] }, 400],
    ['in', { action: 'subscribe', bars: ['A A'] }, 400],
    ['in', { action: 'subscribe', bars: ['AAPL'], orderbooks: ['BTC/USD'] }, 410],
    ['in', { action: 'unsubscribe', news: ['*'] }, 410],
  ]

for (const codec of ['json', 'messagePack'] as const)
  for (const [state, request, code] of refusals)
    test(`${codec}: ${state === 'in' ? 'authenticated' : 'not authenticated'}, ${JSON.stringify(request)} is ${code}`, async () => {
      const client =
        state === 'in'
          ? await dataClient(stage, '/v2/iex', stage.key, { codec })
          : await Client.open(`${stage.wsUrl}/v2/iex`, { codec })
      if (state === 'out') await client.next()
      assert.deepEqual(await client.request(request), streamError(code))
      if (state === 'in')
        assert.deepEqual(
          await client.request({ action: 'subscribe' }),
          acknowledged({}),
          'the subscriptions are unchanged',
        )
      await client.leave()
    })

test('an unreadable message is 400, and the stream stays open', async () => {
  for (const codec of ['json', 'messagePack'] as const) {
    const client = await dataClient(stage, '/v2/sip', stage.key, { codec })
    client.ws.send(Buffer.from('c1', 'hex'))
    assert.deepEqual(await client.next(), streamError(400))
    client.ws.send('{')
    assert.deepEqual(await client.next(), streamError(400))
    assert.deepEqual(await client.request({ action: 'subscribe' }), acknowledged({}))
    await client.leave()
  }
})

test('every subscribe and unsubscribe is answered with all subscriptions', async () => {
  const client = await dataClient(stage, '/v2/iex')
  const steps: readonly (readonly [request: Json, lists: Json])[] = [
    [{ action: 'subscribe', bars: ['AAPL'] }, { bars: ['AAPL'] }],
    [{ action: 'subscribe', bars: ['AAPL'] }, { bars: ['AAPL'] }],
    [{ action: 'subscribe', bars: null, quotes: [], orderbooks: [], news: null }, { bars: ['AAPL'] }],
    [
      { action: 'subscribe', trades: ['MSFT'], statuses: ['*'], corrections: ['IBM'] },
      { bars: ['AAPL'], trades: ['MSFT'], statuses: ['*'], corrections: ['MSFT'], cancelErrors: ['MSFT'] },
    ],
    [
      { action: 'unsubscribe', trades: ['MSFT'], statuses: ['AAPL'] },
      { bars: ['AAPL'], statuses: ['*'] },
    ],
    [{ action: 'unsubscribe', bars: ['AAPL', 'MSFT'], statuses: ['*'] }, {}],
  ]
  for (const [request, lists] of steps) assert.deepEqual(await client.request(request), acknowledged(lists))
  await client.leave()
})

test('above the symbol limit nothing changes', async () => {
  const client = await dataClient(stage, '/v2/iex')
  await client.request({ action: 'subscribe', bars: ['A', 'B'], trades: ['A'] })
  const before = acknowledged({ bars: ['A', 'B'], trades: ['A'], corrections: ['A'], cancelErrors: ['A'] })
  assert.deepEqual(await client.request({ action: 'subscribe', bars: ['A', 'C'] }), streamError(405))
  assert.deepEqual(await client.request({ action: 'subscribe', bars: ['A', 'B'] }), before)
  await client.leave()
})
