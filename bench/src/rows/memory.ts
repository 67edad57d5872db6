import { connect, type Socket } from 'node:net'
import type { ContenderProcess } from '../contender-process.ts'
import { placeOrders, withFolder, withQuipu } from '../quipu-process.ts'
import { type Row, rowsWith, type Size } from '../row.ts'

const row = rowsWith('e')
const SOCKETS = 1_000

/** (e) Memory of open orders and of an idle connection: heap of the main thread, and resident memory. */
export async function memory({ orders }: Size): Promise<readonly Row[]> {
  return withFolder((folder) =>
    withQuipu(folder, async (quipu) => {
      // Warm up, so that memory allocated once is not counted as memory of an order.
      await placeOrders(quipu, 2_000)
      const before = await quipu.cost()
      const sockets = await openSockets(quipu)
      const idle = await quipu.cost()
      for (const socket of sockets) socket.destroy()
      await placeOrders(quipu, orders)
      const after = await quipu.cost()
      const kilobytes = (from: number, to: number, count: number): number => (to - from) / count / 1024
      return [
        row(
          'kB per open order, heap of the engine',
          kilobytes(idle.heapBytes, after.heapBytes, orders),
          '≤ 2',
        ),
        row(
          `MB resident with ${orders + 2_000} open orders`,
          after.residentBytes / 1024 / 1024,
          memoryGoal(orders),
        ),
        row('kB per idle socket, heap', kilobytes(before.heapBytes, idle.heapBytes, SOCKETS), '≤ 12'),
        row('kB per idle socket, resident', kilobytes(before.residentBytes, idle.residentBytes, SOCKETS)),
      ]
    }),
  )
}

const memoryGoal = (orders: number): string | undefined => (orders === 54_000 ? '≤ 400' : undefined)

/** Connections that stay open after one request. */
async function openSockets({ ready }: ContenderProcess): Promise<readonly Socket[]> {
  const one = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(ready.port, '127.0.0.1')
      socket.on('error', reject)
      socket.once('data', () => resolve(socket))
      socket.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${ready.port}\r\n\r\n`)
    })
  const sockets: Socket[] = []
  while (sockets.length < SOCKETS) sockets.push(...(await Promise.all(Array.from({ length: 50 }, one))))
  return sockets
}
