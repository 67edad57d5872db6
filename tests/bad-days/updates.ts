import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Body, Started } from '../broker.ts'

/** Listens to the account's trade updates and keeps every one, until the broker is gone. */
export async function tradeUpdates({ url, keyId, secretKey }: Started): Promise<readonly Body[]> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/stream`)
  const heard: Body[] = []
  const isListening = Promise.withResolvers<void>()
  socket.on('error', () => undefined)
  socket.on('message', (data) => {
    const { stream, data: update } = JSON.parse(String(data))
    if (stream === 'trade_updates') heard.push(update)
    if (stream === 'listening') isListening.resolve()
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ action: 'auth', key: keyId, secret: secretKey }))
  socket.send(JSON.stringify({ action: 'listen', data: { streams: ['trade_updates'] } }))
  await isListening.promise
  return heard
}
