import type { ContenderProcess } from '../contender-process.ts'
import { type Asked, allGood, load, percentile } from '../load.ts'
import { anOrder, withQuipu } from '../quipu-process.ts'
import { median } from '../rounds.ts'
import type { Row, Size } from '../row.ts'
import { type Fate, storedOrders } from '../stored-orders.ts'

const FEW = 1_000
const aList = (): Asked => ({ method: 'GET', path: '/v2/orders?status=all&limit=500' })

/** (g) An acknowledgement and a list of 500, with many orders in store and with few, in turns. */
export async function history({ orders, rounds }: Size): Promise<readonly Row[]> {
  return [
    ...(await compared(orders, 'closed', rounds, { list: '≤ 3 at 1,000,000', order: '≤ 1.2 at 1,000,000' })),
    ...(await compared(orders, 'open', rounds, { list: '', order: '' })),
  ]
}

async function compared(
  orders: number,
  fate: Fate,
  rounds: number,
  goal: { readonly list: string; readonly order: string },
): Promise<readonly Row[]> {
  const [small, large] = [await storedOrders(FEW, fate), await storedOrders(orders, fate)]
  return withQuipu(small, (few) =>
    withQuipu(large, async (many) => {
      const row = async (name: string, ask: () => Asked, calls: number, goal: string): Promise<Row> => ({
        row: 'g',
        name: `${name} with ${orders} / with ${FEW} orders in store, ${fate === 'open' ? 'all' : '1 %'} open`,
        value: await ratio(many, few, ask, { rounds, calls }),
        goal,
      })
      return [
        await row('list of 500', aList, 50, goal.list),
        await row('acknowledgement', anOrder, 250, goal.order),
      ]
    }),
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
