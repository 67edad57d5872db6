import type { ContenderProcess } from '../contender-process.ts'
import { type BenchRequest, load, percentile, requireAllOk } from '../load.ts'
import { anOrder, withQuipu } from '../quipu-process.ts'
import { median } from '../rounds.ts'
import type { Row, Size } from '../row.ts'
import { type StoredState, storedOrders } from '../stored-orders.ts'

const FEW = 1_000
const aList = (): BenchRequest => ({ method: 'GET', path: '/v2/orders?status=all&limit=500' })

/** (g) An acknowledgement and a list of 500, with many and with few stored orders, in turns. */
export async function history({ orders, rounds }: Size): Promise<readonly Row[]> {
  return [
    ...(await compare(orders, 'closed', rounds, { list: '≤ 3 at 1,000,000', order: '≤ 1.2 at 1,000,000' })),
    ...(await compare(orders, 'open', rounds, { list: '', order: '' })),
  ]
}

async function compare(
  orders: number,
  state: StoredState,
  rounds: number,
  goal: { readonly list: string; readonly order: string },
): Promise<readonly Row[]> {
  const [small, large] = [await storedOrders(FEW, state), await storedOrders(orders, state)]
  return withQuipu(small, (few) =>
    withQuipu(large, async (many) => {
      const row = async (
        name: string,
        requestOf: () => BenchRequest,
        calls: number,
        goal: string,
      ): Promise<Row> => ({
        row: 'g',
        name: `${name} with ${orders} / with ${FEW} orders in store, ${state === 'open' ? 'all' : '1 %'} open`,
        value: await ratio(many, few, requestOf, { rounds, calls }),
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
  requestOf: () => BenchRequest,
  { rounds, calls }: { readonly rounds: number; readonly calls: number },
): Promise<number> {
  const [manyMs, fewMs]: [number[], number[]] = [[], []]
  // The first turn is a warm-up.
  for (let turn = 0; turn <= rounds; turn++) {
    const [slow, fast] = [await medianMs(many, requestOf, calls), await medianMs(few, requestOf, calls)]
    if (turn === 0) continue
    manyMs.push(slow)
    fewMs.push(fast)
  }
  return median(manyMs) / median(fewMs)
}

async function medianMs(
  { ready }: ContenderProcess,
  requestOf: () => BenchRequest,
  calls: number,
): Promise<number> {
  const responses = await load(ready, requestOf, { connections: 1, calls })
  requireAllOk('history', calls, responses)
  return percentile(responses.latenciesMs, 0.5)
}
