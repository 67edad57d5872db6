import { setTimeout as sleep } from 'node:timers/promises'
import type { ContenderProcess } from '../contender-process.ts'
import { placeOrders, withFolder, withQuipu } from '../quipu-process.ts'
import { median } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'

const row = rowsWith('w')

/** The writer thread batches changes; afterwards it is idle. */
const SETTLE_MS = 1000

/** (w) CPU time of the thread that writes the query tables, per durable order over HTTP. */
export async function queryTablesWriter({ rounds, calls }: Size): Promise<readonly Row[]> {
  const results = await withFolder((folder) =>
    withQuipu(folder, async (quipu) => {
      const measured: { readonly writer: number; readonly main: number }[] = []
      for (let turn = 0; turn <= rounds; turn++) measured.push(await round(quipu, calls))
      return measured.slice(1)
    }),
  )
  const writer = median(results.map((each) => each.writer))
  const main = median(results.map((each) => each.main))
  return [
    row('µs of CPU of the query tables writer per order', writer, '≤ 35'),
    row('the same / CPU of the main thread per order', writer / main),
  ]
}

async function round(quipu: ContenderProcess, calls: number) {
  const before = { writer: await quipu.threadMicros('sqlite/writer-thread'), main: await quipu.spent() }
  await placeOrders(quipu, calls)
  await sleep(SETTLE_MS)
  const after = { writer: await quipu.threadMicros('sqlite/writer-thread'), main: await quipu.spent() }
  return {
    writer: (after.writer - before.writer) / calls,
    main: (after.main.threadMicros - before.main.threadMicros) / calls,
  }
}
