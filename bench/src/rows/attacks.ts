import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { attacks } from '../attack.child.ts'
import { ContenderProcess, type Ready } from '../contender-process.ts'
import { load, percentile, requireAllOk } from '../load.ts'
import { anOrder, withFolder } from '../quipu-process.ts'
import { median } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'

/** Orders of the other account: the rate of one program. */
const PER_SECOND = 50
const CALLS = 300
const CONNECTIONS = 4

type Round = { readonly alone: number; readonly attacked: number; readonly answered: number }

/** (attacks) The median order of another account during an attack, against the same alone. */
export async function underAttack({ rounds }: Size): Promise<readonly Row[]> {
  const row = rowsWith('attacks')
  const rows: Row[] = []
  for (const name of Object.keys(attacks)) {
    const results: Round[] = []
    for (let turn = 0; turn < rounds; turn++) results.push(await round(name))
    const ratio = median(results.map(({ alone, attacked }) => attacked / alone))
    rows.push(row(`${name}: median order of another account / alone`, ratio, 'at most 2'))
    rows.push(
      row(`${name}: answered requests of the attack`, median(results.map(({ answered }) => answered))),
    )
  }
  return rows
}

function round(attack: string): Promise<Round> {
  return withFolder(async (folder) => {
    const quipu = await ContenderProcess.start('quipu.child.ts', [folder])
    try {
      const other = await otherAccount(quipu.ready)
      // The first orders compile the code.
      await medianOrder(other)
      const alone = await medianOrder(other)
      const attacker = fork(join(import.meta.dirname, '../attack.child.ts'), [
        attack,
        JSON.stringify(quipu.ready),
      ])
      await sleep(2000)
      const attacked = await medianOrder(other)
      const end = once(attacker, 'message') as Promise<[number]>
      attacker.send('end')
      const [answered] = await end
      return { alone, attacked, answered }
    } finally {
      await quipu.kill()
    }
  })
}

async function medianOrder(ready: Ready): Promise<number> {
  const responses = await load(ready, anOrder, {
    connections: CONNECTIONS,
    calls: CALLS,
    perSecond: PER_SECOND,
  })
  requireAllOk('orders', CALLS, responses)
  return percentile(responses.latenciesMs, 0.5)
}

/** The key of a second account of `main`. */
async function otherAccount({ port, operator }: Ready): Promise<Ready> {
  const post = async (path: string, body: object) => {
    const headers = { ...operator, 'Content-Type': 'application/json' }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: received ${response.status} ${await response.text()}`)
    return response.json() as Promise<Record<string, string>>
  }
  const { id } = await post('/v1/accounts', { cash: '100000' })
  const { key_id = '', secret_key = '' } = await post('/sim/v1/worlds/main/keys', { account_id: id })
  return { port, headers: { 'APCA-API-KEY-ID': key_id, 'APCA-API-SECRET-KEY': secret_key } }
}
