import { ContenderProcess, type Ready } from '../../contender-process.ts'
import { withFolder } from '../../quipu-process.ts'
import { createWorld } from '../../virtual-world.ts'

/** The same on all nodes, so that each knows the first credentials of `main`. */
const settings = [
  'clusterSecret=the-secret-that-all-nodes-of-this-row-share',
  'keyId=PK-OF-THE-FIRST-ACCOUNT',
  'secretKey=a-secret-that-the-bench-has-chosen',
  'brokerKey=CK-OF-THE-OPERATOR',
  'brokerSecret=another-secret-that-the-bench-has-chosen',
] as const

/** Calls `use` with nodes of one cluster. The first one holds `main`. */
export async function withNodes<Value>(
  stores: readonly string[],
  use: (nodes: readonly ContenderProcess[]) => Promise<Value>,
): Promise<Value> {
  return withFolder(async (folder) => {
    const nodes: ContenderProcess[] = []
    try {
      for (const [number, store] of stores.entries())
        nodes.push(
          await ContenderProcess.start('quipu.child.ts', [
            `${folder}/${number}`,
            `store=${store}`,
            ...settings,
          ]),
        )
      return await use(nodes)
    } finally {
      // Killed: a node that stops moves its worlds first.
      for (const node of nodes) await node.kill()
    }
  })
}

/** The address of one server with the credentials of another. */
export const at = (server: ContenderProcess, { headers }: Pick<Ready, 'headers'>): Ready => ({
  port: server.ready.port,
  headers,
})

/** A new durable world on the wall clock. */
export const newDurableWorld = (server: ContenderProcess) =>
  createWorld(server.ready, { seed: 'bench', clock: 'wall', durable: true })

/** Moves a world, by a request to the node that holds `main`. Returns how long requests waited. */
export async function moveWorld(
  main: ContenderProcess,
  world: string,
  to: ContenderProcess,
): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${main.ready.port}/sim/v1/cluster/moves`, {
    method: 'POST',
    headers: { ...main.ready.operator, 'Content-Type': 'application/json' },
    body: JSON.stringify({ world, node: `http://127.0.0.1:${to.ready.port}` }),
  })
  const body = await response.text()
  if (!response.ok) throw new Error(`move of ${world}: received ${response.status} ${body}`)
  return (JSON.parse(body) as { readonly paused_ms: number }).paused_ms
}
