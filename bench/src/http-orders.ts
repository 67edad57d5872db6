import { ContenderProcess } from './contender-process.ts'
import { postLoad } from './load.ts'
import { alternate, type Contender, type Figure } from './rounds.ts'

/** A limit order far from the market: it is stored, held and rests. Far enough that a round's orders fit the money. */
const order = (): string =>
  '{"symbol":"AAPL","qty":"1","side":"buy","type":"limit","time_in_force":"day","limit_price":"1"}'

const CONNECTIONS = 64

/**
 * (a) A durable order over HTTP beside a bare echo.
 * (b) The same beside one order at a time: every order its own commit.
 */
export async function httpOrders(size: {
  readonly rounds: number
  readonly calls: number
}): Promise<readonly Figure[]> {
  const echo = await ContenderProcess.start('echo.child.ts')
  const quipu = await ContenderProcess.start('quipu.child.ts')
  try {
    return await alternate(
      [
        contender('bare node:http echo', echo, '/', CONNECTIONS, size.calls),
        contender('durable orders', quipu, '/v2/orders', CONNECTIONS, size.calls),
        contender('one commit per order', quipu, '/v2/orders', 1, Math.ceil(size.calls / 8)),
      ],
      size.rounds,
    )
  } finally {
    await Promise.all([echo.stop(), quipu.stop()])
  }
}

function contender(
  name: string,
  server: ContenderProcess,
  path: string,
  connections: number,
  calls: number,
): Contender {
  return {
    name,
    async round() {
      const before = await server.cost()
      const start = performance.now()
      const { statuses } = await postLoad(server.ready, path, order, { connections, calls })
      const wallSeconds = (performance.now() - start) / 1000
      if (statuses.get(200) !== calls)
        throw new Error(
          `${name}: expected ${calls} answers of 200, received ${JSON.stringify([...statuses])}`,
        )
      const { cpuMicros, threadMicros } = await server.cost()
      return {
        calls,
        cpuSeconds: (cpuMicros - before.cpuMicros) / 1e6,
        threadSeconds: (threadMicros - before.threadMicros) / 1e6,
        wallSeconds,
      }
    },
  }
}
