import type { World } from '@quipu/broker/world/world.ts'
import type { Account, WorldId } from '@quipu/core'
import { connect } from '../../../broker/src/postgres/connection.ts'
import { Cluster } from '../../../broker/src/postgres/testing/server.ts'
import { PostgresServer } from '../../../broker/src/registry/store/postgres-server.ts'
import { postgresStore } from '../../../broker/src/registry/store/postgres-store.ts'
import { buyOrder, DOLLAR, measure, openBareWorld } from '../bare-world.ts'
import { alternate, type Round } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'

const row = rowsWith('h')
const CLIENTS = 64
/** A single insert is much slower, so a smaller sample is enough. */
const BARE_SHARE = 8
/** About as large as an order event. */
const LINE = JSON.stringify({ kind: 'orderAccepted', filler: 'x'.repeat(560) })

/**
 * (h) Orders of 64 clients into a world on PostgreSQL, query tables included, compared with a bare loop that commits one
 * insert at a time. Measured by the clock, because both wait for the same database.
 */
export async function postgres({ rounds, calls }: Size): Promise<readonly Row[]> {
  const cluster = await Cluster.start()
  try {
    const [grouped, bare] = await alternate(
      [
        { name: 'grouped', round: () => groupedRound(cluster.url(), calls) },
        {
          name: 'one insert per commit',
          round: () => bareRound(cluster.url(), Math.ceil(calls / BARE_SHARE)),
        },
      ],
      rounds,
    )
    const value = grouped!.perSecond / bare!.perSecond
    return [
      row('PostgreSQL: orders of 64 clients / one insert per commit', value, '≥ 3'),
      row('orders a second', grouped!.perSecond),
      row('single inserts a second', bare!.perSecond),
    ]
  } finally {
    await cluster.stop()
  }
}

let worlds = 0

async function groupedRound(url: string, calls: number): Promise<Round> {
  const { world, account } = await openWorld(url)
  let left = calls
  const result = await measure(calls, () =>
    Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        // The order rests, so that each order is exactly one event.
        while (left-- > 0) await world.commands.submit(buyOrder(account, DOLLAR), () => undefined)
      }),
    ),
  )
  await world.close()
  return result
}

async function bareRound(url: string, calls: number): Promise<Round> {
  const connection = await connect(url)
  await connection.query('CREATE TABLE IF NOT EXISTS bare (number bigserial PRIMARY KEY, line text NOT NULL)')
  const insert = { name: 'bare', text: 'INSERT INTO bare (line) VALUES ($1)', values: [LINE] }
  const result = await measure(calls, async () => {
    for (let call = 0; call < calls; call++) await connection.query(insert)
  })
  await connection.end()
  return result
}

async function openWorld(url: string): Promise<{ readonly world: World; readonly account: Account }> {
  const id = `bench ${++worlds}` as WorldId
  const store = postgresStore(new PostgresServer(url), { warn: () => undefined }, id)
  const { world, accounts } = await openBareWorld({ accounts: 1, id, store })
  return { world, account: accounts[0]! }
}
