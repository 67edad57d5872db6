import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { WebSocketServer } from 'ws'
import { StreamError } from '../errors.ts'
import { createQuipu } from '../quipu.ts'

type Frame = Readonly<Record<string, unknown>>

/** A server that answers each message with these frames. */
async function serving(t: TestContext, answer: (message: Frame) => readonly unknown[], welcome?: unknown) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  server.on('connection', (socket) => {
    if (welcome) socket.send(JSON.stringify(welcome))
    socket.on('message', (text) => {
      for (const frame of answer(JSON.parse(String(text)))) socket.send(JSON.stringify(frame))
    })
  })
  t.after(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { refill: false, reconnectMs: 1 }
  const { streams } = createQuipu({ url, keyId: 'k', secretKey: 's' })
  const [trades, prices] = [streams.tradeUpdates(options), streams.marketData('iex', options)]
  t.after(() => [trades, prices].map((stream) => stream.close()))
  return { trades, prices }
}

const tradeServer = (t: TestContext, listened: readonly unknown[]) =>
  serving(t, ({ action }) =>
    action === 'listen' ? listened : [{ stream: 'authorization', data: { status: 'authorized' } }],
  )
const marketServer = (t: TestContext, subscribed: readonly unknown[]) =>
  serving(t, ({ action }) => (action === 'auth' ? [[{ T: 'success', msg: 'authenticated' }]] : subscribed), [
    { T: 'success', msg: 'connected' },
  ])
const acknowledged = [{ T: 'subscription', bars: ['AAPL'] }]
const error = (code: number, msg: string) => [{ T: 'error', code, msg }]

test('an error of the trade stream has its text, and no request fails because of it', async (t) => {
  const listening = { stream: 'listening', data: { streams: ['trade_updates'] } }
  const { trades } = await tradeServer(t, [
    { stream: 'error', action: 'error', data: { error: 'internal', error_message: 'internal server error' } },
    { action: 'error', data: { error_message: 'without a stream' } },
    listening,
  ])
  const texts: string[] = []
  trades.onError((text) => texts.push(text))
  await trades.subscribe()
  assert.deepEqual(texts, ['internal server error', 'without a stream'])
})

test('an error that is not the answer to a subscription does not refuse it', async (t) => {
  const { prices } = await marketServer(t, [error(500, 'internal error'), acknowledged])
  const errors: (readonly unknown[])[] = []
  prices.onError((text, { code }) => errors.push([text, code]))
  assert.deepEqual(await prices.subscribe({ bars: ['AAPL'] }), { bars: ['AAPL'] })
  assert.deepEqual(errors, [['internal error', 500]])
})

test('an error that is the answer refuses the subscription, and the stream stays open', async (t) => {
  const { prices } = await marketServer(t, [error(405, 'symbol limit exceeded')])
  const texts: string[] = []
  prices.onError((text) => texts.push(text))
  await assert.rejects(
    prices.subscribe({ bars: ['AAPL'] }),
    (reason: unknown) => reason instanceof StreamError && reason.code === 405,
  )
  assert.deepEqual([texts, prices.state], [['symbol limit exceeded'], 'open'])
})

test('an authentication result never rejects', async (t) => {
  const { prices } = await serving(t, () => [error(402, 'auth failed')], [{ T: 'success', msg: 'connected' }])
  assert.deepEqual(await prices.authenticate(), {
    authenticated: false,
    status: 'refused',
    message: 'auth failed',
    code: 402,
  })
  const { trades } = await tradeServer(t, [])
  assert.deepEqual(await trades.authenticate(), {
    authenticated: true,
    status: 'authenticated',
    message: 'authenticated',
  })
  trades.close()
  assert.equal((await trades.authenticate()).status, 'closed')
  const { trades: silent } = await serving(t, () => [])
  assert.equal((await silent.authenticate({ timeoutMs: 20 })).status, 'timeout')
})
