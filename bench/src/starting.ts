import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ContenderProcess } from './contender-process.ts'
import { placeOrders, withFolder } from './quipu-process.ts'
import type { Row, Size } from './row.ts'

/** (f) From the start of the process to the first order answered: on an empty folder, and with many orders in it. */
export async function starting({ orders }: Size): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const first = await firstOrder(folder, async (quipu) => {
      await placeOrders(quipu, orders)
      await quipu.stop()
    })
    const snapshot = await firstOrder(folder, (quipu) => quipu.kill())
    dropSnapshots(folder)
    const journal = await firstOrder(folder, (quipu) => quipu.stop())
    const of = `${orders} open orders`
    return [
      ...both('start to first order, empty folder', first, '≤ 1'),
      ...both(`start to first order, ${of}, by snapshot`, snapshot, '≤ 5 at 1,000,000'),
      ...both(`start to first order, ${of}, by journal`, journal, '≤ 20 at 1,000,000'),
    ]
  })
}

type Seconds = { readonly clock: number; readonly cpu: number }

const both = (name: string, { clock, cpu }: Seconds, goal: string): readonly Row[] => [
  { row: 'f', name: `${name}, s`, value: clock, goal },
  { row: 'f', name: `${name}, s of CPU`, value: cpu, goal: '' },
]

async function firstOrder(
  folder: string,
  then: (quipu: ContenderProcess) => Promise<void>,
): Promise<Seconds> {
  const start = performance.now()
  const quipu = await ContenderProcess.start('quipu.child.ts', [folder])
  await placeOrders(quipu, 1)
  const clock = (performance.now() - start) / 1000
  const { cpuMicros } = await quipu.cost()
  await then(quipu)
  return { clock, cpu: cpuMicros / 1e6 }
}

/** Wherever in the folder they lie. */
function dropSnapshots(folder: string): void {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.snapshot'),
  )
  if (found.length === 0) throw new Error('expected a snapshot in the folder')
  for (const name of found) rmSync(join(folder, name))
}
