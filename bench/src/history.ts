import type { ContenderProcess } from './contender-process.ts'
import { type Asked, allGood, load, percentile } from './load.ts'
import { anOrder, placeOrders, withFolder, withQuipu } from './quipu-process.ts'
import { median } from './rounds.ts'
import type { Row, Size } from './row.ts'

const FEW = 1_000
const aList = (): Asked => ({ method: 'GET', path: '/v2/orders?status=all&limit=500' })

/** (g) An acknowledgement and a list of 500, with many orders in store and with few, in turns. */
export async function history({ orders, rounds }: Size): Promise<readonly Row[]> {
  return withFolder((one) =>
    withFolder((other) =>
      withQuipu(one, (few) =>
        withQuipu(other, async (many) => {
          await placeOrders(few, FEW)
          await placeOrders(many, orders)
          const row = async (name: string, ask: () => Asked, calls: number, goal: string): Promise<Row> => ({
            row: 'g',
            name: `${name} with ${orders} / with ${FEW} orders in store`,
            value: await ratio(many, few, ask, { rounds, calls }),
            goal,
          })
          return [
            await row('list of 500', aList, 50, '≤ 3 at 1,000,000'),
            await row('acknowledgement', anOrder, 250, '≤ 1.2 at 1,000,000'),
          ]
        }),
      ),
    ),
  )
}

async function ratio(
  many: ContenderProcess,
  few: ContenderProcess,
  ask: () => Asked,
  { rounds, calls }: { readonly rounds: number; readonly calls: number },
): Promise<number> {
  const [manyMs, fewMs]: [number[], number[]] = [[], []]
  // The first turn of each warms up.
  for (let turn = 0; turn <= rounds; turn++) {
    const [slow, fast] = [await middle(many, ask, calls), await middle(few, ask, calls)]
    if (turn === 0) continue
    manyMs.push(slow)
    fewMs.push(fast)
  }
  return median(manyMs) / median(fewMs)
}

async function middle({ ready }: ContenderProcess, ask: () => Asked, calls: number): Promise<number> {
  const answers = await load(ready, ask, { connections: 1, calls })
  allGood('history', calls, answers)
  return percentile(answers.latenciesMs, 0.5)
}
