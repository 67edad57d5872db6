import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { WebSocketServer } from 'ws'
import { serveParent } from './contender-process.ts'

/** The simplest fan-out: each bar is serialized once and sent to each client with `ws.send`. */
const symbols = process.argv[2]!.split(',')
const server = createServer(async (request, response) => {
  let minute = Date.parse('2026-01-05T15:00:00Z')
  for (let ticks = Number(request.url!.slice(1)); ticks > 0; ticks--) {
    minute += 60_000
    const t = new Date(minute).toISOString().replace('.000Z', 'Z')
    for (const S of symbols) {
      const [price, volume] = [100 + (ticks % 7) + 0.01, 10_000 + ticks]
      const bar = {
        T: 'b',
        S,
        t,
        o: price,
        h: price + 0.57,
        l: price - 0.4,
        c: price + 0.1,
        v: volume,
        n: 99,
      }
      const text = JSON.stringify([{ ...bar, vw: price + 0.013 }])
      for (const client of streams.clients) client.send(text)
    }
    do await turn()
    while ([...streams.clients].some(({ bufferedAmount }) => bufferedAmount > 0))
  }
  response.end()
})
const streams = new WebSocketServer({ server, perMessageDeflate: false })
streams.on('connection', (client) => {
  client.on('message', () => client.send('[{"T":"subscription"}]'))
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  serveParent({ port, headers: {} }, async () => void server.close())
})
