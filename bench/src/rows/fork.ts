import { setTimeout as sleep } from 'node:timers/promises'
import type { ContenderProcess, Ready } from '../contender-process.ts'
import { withQuipu } from '../quipu-process.ts'
import type { Row, Size } from '../row.ts'
import { storedOrders } from '../stored-orders.ts'

const MB = 1_000_000
/** So long the process may finish what the call before left to do. */
const SETTLE_MS = 500

/** (v) What a fork of `main` adds to the heap and the main thread, and what its deletion leaves behind. */
export async function forking({ orders }: Size): Promise<readonly Row[]> {
  const folder = await storedOrders(orders, 'closed')
  return withQuipu(folder, async (quipu) => {
    const fork = () => ask(quipu.ready, 'POST', 'main/fork', { world: 'copy' })
    const remove = () => ask(quipu.ready, 'DELETE', 'copy')
    // Code that the first fork loads and compiles stays: it is counted as CPU time, not as a fork's memory.
    const first = await settled(quipu)
    await fork()
    const loaded = await settled(quipu)
    await remove()
    const before = await settled(quipu)
    await fork()
    const forked = await settled(quipu)
    await remove()
    const after = await settled(quipu)
    const of = `fork of main, ${orders} orders, 1 % open`
    const megabytes = (to: number): number => (to - before.heapBytes) / MB
    return [
      { row: 'v', name: `${of}: MB of heap`, value: megabytes(forked.heapBytes), goal: '≤ 30' },
      {
        row: 'v',
        name: `${of}: s of main-thread CPU, the first`,
        value: (loaded.threadMicros - first.threadMicros) / 1e6,
        goal: '≤ 0.3',
      },
      { row: 'v', name: `${of}: MB of heap once deleted`, value: megabytes(after.heapBytes), goal: '0' },
    ]
  })
}

/** The second look counts: the first one collected, which takes CPU of its own. */
async function settled(quipu: ContenderProcess): Promise<Awaited<ReturnType<ContenderProcess['cost']>>> {
  await sleep(SETTLE_MS)
  await quipu.cost()
  return quipu.cost()
}

async function ask({ port, operator }: Ready, method: string, path: string, body?: object): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/sim/v1/worlds/${path}`, {
    method,
    headers: { ...operator, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: received ${answer.status}`)
  await answer.arrayBuffer()
}
