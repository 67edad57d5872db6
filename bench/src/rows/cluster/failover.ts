import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster } from '../../../../broker/src/postgres/testing/server.ts'
import { openProxy } from '../../../../broker/src/postgres/testing/tcp-proxy.ts'
import type { ContenderProcess, Ready } from '../../contender-process.ts'
import { load, requireAllOk } from '../../load.ts'
import { anOrder, CONNECTIONS } from '../../quipu-process.ts'
import { type Row, rowsWith, type Size } from '../../row.ts'
import { at, moveWorld, newDurableWorld, withNodes } from './nodes.ts'

const row = rowsWith('failover')
/** The pause of a client between two orders. */
const CLIENT_PAUSE_MS = 20
/** The writer of the query tables catches up. */
const SETTLE_MS = 3_000
/** The load runs for this long before a move and after it. */
const MARGIN_MS = 500
const POLL_MS = 20
/** Longer than a lease. */
const CUT_MS = 5_000

/**
 * Times by the clock: a move of a world with many open orders under load, orders again after the node of that world was
 * killed, and the last response of a node that has lost the database.
 */
export async function clusterFailover({ orders }: Size): Promise<readonly Row[]> {
  const postgres = await Cluster.start()
  try {
    const store = await postgres.database('nodes')
    return [
      ...(await withNodes([store, store], (nodes) => moveAndKill(nodes, orders))),
      ...(await lapse(await postgres.database('lapse'))),
    ]
  } finally {
    await postgres.stop()
  }
}

async function moveAndKill(nodes: readonly ContenderProcess[], orders: number): Promise<readonly Row[]> {
  const [first, second] = nodes as [ContenderProcess, ContenderProcess]
  const world = await newDurableWorld(first)
  progress(`${orders} orders`)
  requireAllOk('orders', orders, await load(world, anOrder, { connections: CONNECTIONS, calls: orders }))
  await sleep(SETTLE_MS)
  const there = await move(nodes, world, second)
  const back = await move(nodes, world, first)
  const again = await move(nodes, world, second)
  progress('kill')
  const killedMs = performance.now()
  await second.kill()
  await untilOrder(at(first, world))
  const seconds = (performance.now() - killedMs) / 1000
  const longest = (of: keyof Moved) => Math.max(there[of], back[of], again[of])
  return [
    row(
      `move of a world with ${orders} open orders, longest of 3: ms that requests waited`,
      longest('pausedMs'),
      '≤ 1000',
    ),
    row('the same: longest order of a client, ms', longest('slowestMs')),
    row('the same: duration of the move, s', longest('totalMs') / 1000),
    row(`kill -9 of the node of that world: s until the next order`, seconds, '≤ 5'),
  ]
}

type Moved = { readonly pausedMs: number; readonly slowestMs: number; readonly totalMs: number }

/** Moves a world while clients of both nodes place orders. Every order must be answered with 200. */
async function move(
  nodes: readonly ContenderProcess[],
  world: Ready & { readonly world: string },
  to: ContenderProcess,
): Promise<Moved> {
  progress('move')
  const over = new AbortController()
  const clients = nodes.map((node) => placeUntil(over.signal, at(node, world)))
  await sleep(MARGIN_MS)
  const startedMs = performance.now()
  const pausedMs = await moveWorld(nodes[0]!, world.world, to)
  const totalMs = performance.now() - startedMs
  await sleep(MARGIN_MS)
  over.abort()
  return { pausedMs, totalMs, slowestMs: Math.max(...(await Promise.all(clients))) }
}

/** Places one order after the other. Returns the longest time of an order in ms. */
async function placeUntil(over: AbortSignal, target: Ready): Promise<number> {
  let slowestMs = 0
  while (!over.aborted) {
    const sentMs = performance.now()
    const { status } = await placeOrder(target)
    if (status !== 200) throw new Error(`order during a move: received ${status}`)
    slowestMs = Math.max(slowestMs, performance.now() - sentMs)
    await sleep(CLIENT_PAUSE_MS)
  }
  return slowestMs
}

async function placeOrder({ port, headers }: Ready): Promise<Response> {
  const { method, path, body } = anOrder()
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: body!,
  })
  await response.text()
  return response
}

async function untilOrder(target: Ready): Promise<void> {
  while (!(await placeOrder(target)).ok) await sleep(POLL_MS)
}

/** A node whose database does not answer. It is alone, so no other node answers for it. */
async function lapse(store: string): Promise<readonly Row[]> {
  progress('lapse')
  const proxy = await openProxy(store)
  try {
    return await withNodes([proxy.url], async ([node]) => {
      const { port, headers } = node!.ready
      const cutMs = performance.now()
      proxy.goSilent()
      let lastMs = 0
      while (performance.now() - cutMs < CUT_MS) {
        const response = await fetch(`http://127.0.0.1:${port}/v2/account`, { headers })
        if (response.ok) lastMs = performance.now() - cutMs
        await response.text()
        await sleep(POLL_MS)
      }
      return [row('node without its database: s until its last response', lastMs / 1000, '≤ 3')]
    })
  } finally {
    proxy.close()
  }
}

const progress = (text: string): void => void process.stderr.write(`\r  (failover) ${text}`.padEnd(60))
