import { withFolder, withQuipu } from '../quipu-process.ts'
import { type Row, rowsWith, type Size } from '../row.ts'
import { StreamClients } from '../stream-clients.ts'
import { withWorld } from '../virtual-world.ts'

const SOCKETS = 10_000
/** Files and connections of the server that do not belong to clients. */
const SPARE = 500
const MEGABYTE = 1024 * 1024

/** (n) Memory of a process with 10,000 idle subscribed clients. */
export async function idleSockets(_: Size): Promise<readonly Row[]> {
  const settings = [`streamsMax=${SOCKETS}`, `connectionsMax=${SOCKETS + SPARE}`] as const
  return withFolder((folder) =>
    withQuipu(
      folder,
      (quipu) =>
        withWorld(quipu.ready, async (world) => {
          const before = await quipu.cost()
          const clients = await StreamClients.open({
            ...world,
            path: '/v2/iex',
            subscribe: { bars: ['AAPL', 'MSFT'], trades: ['SPY'] },
            count: SOCKETS,
          })
          const after = await quipu.cost()
          await clients.leave()
          const grown = after.residentBytes - before.residentBytes
          const heap = after.heapBytes - before.heapBytes
          return [
            row('MB resident, 10,000 idle subscribed sockets', after.residentBytes / MEGABYTE, '≤ 280'),
            row('MB resident more than before them', grown / MEGABYTE),
            row('kB per idle subscribed socket, resident', grown / SOCKETS / 1024),
            row('kB per idle subscribed socket, heap', heap / SOCKETS / 1024),
          ]
        }),
      0,
      settings,
    ),
  )
}

const row = rowsWith('n')
