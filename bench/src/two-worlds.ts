import type { Ready } from './contender-process.ts'
import { allGood, load, percentile } from './load.ts'
import { anOrder, CONNECTIONS, withFolder, withQuipu } from './quipu-process.ts'
import type { Row, Size } from './row.ts'

const PER_SECOND = 100

/** (i) The slowest acknowledgements of a quiet world, alone and while another world is under full load. */
export async function twoWorlds({ calls }: Size): Promise<readonly Row[]> {
  return withFolder((folder) =>
    withQuipu(folder, async ({ ready }) => {
      const busy = await newWorld(ready)
      const full = (count: number) => load(busy, anOrder, { connections: CONNECTIONS, calls: count })
      await full(1_000)
      await slowest(ready, 100)
      const alone = await slowest(ready, 400)
      const underLoad = full(calls)
      const beside = await slowest(ready, 400)
      allGood('the busy world', calls, await underLoad)
      return [
        { row: 'i', name: 'p99 of a world beside a busy one / alone', value: beside / alone, goal: '≤ 2' },
      ]
    }),
  )
}

async function slowest(ready: Ready, calls: number): Promise<number> {
  const answers = await load(ready, anOrder, { connections: 4, calls, perSecond: PER_SECOND })
  allGood('the quiet world', calls, answers)
  return percentile(answers.latenciesMs, 0.99)
}

async function newWorld({ port, operator }: Ready): Promise<Ready> {
  const answer = await fetch(`http://127.0.0.1:${port}/sim/v1/worlds`, {
    method: 'POST',
    headers: { ...operator, 'Content-Type': 'application/json' },
    body: JSON.stringify({ seed: 'busy', start: '2026-01-05T15:00:00Z' }),
  })
  const made = (await answer.json()) as { accounts: [{ key_id: string; secret_key: string }] }
  const [{ key_id, secret_key }] = made.accounts
  return { port, headers: { 'APCA-API-KEY-ID': key_id, 'APCA-API-SECRET-KEY': secret_key } }
}
