import { setTimeout as sleep } from 'node:timers/promises'
import type { ContenderProcess } from '../contender-process.ts'
import { withQuipu } from '../quipu-process.ts'
import { type Row, rowsWith, type Size } from '../row.ts'
import { storedOrders } from '../stored-orders.ts'
import { operate } from '../virtual-world.ts'

const row = rowsWith('v')
const MB = 1_000_000
/** Time for the process to finish the work of the previous call. */
const SETTLE_MS = 500

/** (v) Heap and main-thread CPU of a fork of `main`, and the heap that remains after its deletion. */
export async function forking({ orders }: Size): Promise<readonly Row[]> {
  const folder = await storedOrders(orders, 'closed')
  return withQuipu(folder, async (quipu) => {
    const fork = () => operate(quipu.ready, 'POST', '/main/fork', { world: 'copy' })
    const remove = () => operate(quipu.ready, 'DELETE', '/copy')
    // The first fork loads and compiles code that stays in memory, so the memory of the second fork is measured.
    const first = await settledCost(quipu)
    await fork()
    const loaded = await settledCost(quipu)
    await remove()
    const before = await settledCost(quipu)
    await fork()
    const forked = await settledCost(quipu)
    await remove()
    const after = await settledCost(quipu)
    const of = `fork of main, ${orders} orders, 1 % open`
    const megabytes = (to: number): number => (to - before.heapBytes) / MB
    return [
      row(`${of}: MB of heap`, megabytes(forked.heapBytes), '≤ 30'),
      row(
        `${of}: s of main-thread CPU, the first`,
        (loaded.threadMicros - first.threadMicros) / 1e6,
        '≤ 0.3',
      ),
      row(`${of}: MB of heap once deleted`, megabytes(after.heapBytes), '0'),
    ]
  })
}

/** Returns the second measurement, because the first includes the CPU time of a garbage collection. */
async function settledCost(quipu: ContenderProcess): Promise<Awaited<ReturnType<ContenderProcess['cost']>>> {
  await sleep(SETTLE_MS)
  await quipu.cost()
  return quipu.cost()
}
