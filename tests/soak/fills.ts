import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Started } from '../support/broker.ts'
import type { Series } from './flat.ts'

export type Fills = {
  /** Delay of each fill on the stream after the due time of the timer of its order. */
  readonly lateMs: Series
  /** Number of fills that were received twice. */
  readonly doubled: () => number
  readonly canceled: () => number
  close(): void
}

/** Collects the fills of an account whose orders reach the market `latencyMs` after they were accepted. */
export async function collectFills({ url, keyId, secretKey }: Started, latencyMs: number): Promise<Fills> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/stream`)
  const lateMs: { at: number; value: number }[] = []
  const orderIds = new Set<string>()
  let canceled = 0
  const isListening = Promise.withResolvers<void>()
  socket.on('message', (text) => {
    const { stream, data } = JSON.parse(String(text))
    if (stream === 'listening') isListening.resolve()
    if (data.event === 'canceled') canceled++
    if (data.event !== 'fill') return
    const at = Date.now()
    lateMs.push({ at, value: at - Date.parse(data.order.submitted_at) - latencyMs })
    orderIds.add(data.order.id)
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ action: 'auth', key: keyId, secret: secretKey }))
  socket.send(JSON.stringify({ action: 'listen', data: { streams: ['trade_updates'] } }))
  await isListening.promise
  return {
    lateMs,
    doubled: () => lateMs.length - orderIds.size,
    canceled: () => canceled,
    close: () => socket.terminate(),
  }
}
