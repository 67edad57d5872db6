import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import {
  type Body,
  type Broker,
  call,
  callAsOperator,
  newFolder,
  type Started,
  startBroker,
} from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'

/** The same on all nodes, so that each knows the first credentials of `main`. */
const credentials = {
  keyId: 'PK-THE-PAPER-ACCOUNT',
  secretKey: 'a-secret-that-a-person-has-chosen-1234567',
  brokerKey: 'CK-THE-OPERATOR',
  brokerSecret: 'another-secret-that-a-person-has-chosen-1',
} as const

export const CLUSTER_SECRET = 'the-secret-that-all-nodes-of-this-test-share'

const environment = {
  // No node and no command may need the address of the proxy, which a node cannot reach here.
  QUIPU_PUBLIC_URL: 'http://broker.invalid',
  QUIPU_RATE_LIMIT: '0',
  QUIPU_CLUSTER_SECRET: CLUSTER_SECRET,
  QUIPU_KEY_ID: credentials.keyId,
  QUIPU_SECRET_KEY: credentials.secretKey,
  QUIPU_BROKER_KEY: credentials.brokerKey,
  QUIPU_BROKER_SECRET: credentials.brokerSecret,
}

/** A node of a cluster, with the credentials of `main`. */
export const startNode = async (
  store: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  folder = newFolder(),
  program?: string,
): Promise<Broker> => ({
  ...(await startBroker(['--data', folder, '--store', store, ...flags], { ...environment, ...env }, program)),
  ...credentials,
})

/** A database for the nodes of a spec. At its end the nodes are killed, and the database stops. */
export async function openDatabase(name: string) {
  const database = await Cluster.start()
  const nodes: Broker[] = []
  after(async () => {
    for (const node of nodes) await node.kill()
    await database.stop()
  })
  return { database, store: await database.database(name), nodes }
}

/** The name of the world that answers a request with this key at this node. */
export async function worldOf(
  node: Pick<Started, 'url'>,
  key: Pick<Started, 'keyId' | 'secretKey'>,
): Promise<string | undefined> {
  const { headers } = await call({ ...key, url: node.url }, 'GET', '/v2/account')
  return headers.get('x-quipu-world') ?? undefined
}

/** Waits until the cluster answers for a world. */
export const untilHeld = (node: Started, world: string): Promise<unknown> =>
  waitUntil(
    `${world} is held`,
    async () => (await callAsOperator(node, 'GET', `/sim/v1/worlds/${world}/journal`)).status === 200,
  )

/** The nodes and worlds of a cluster, as one of its nodes reports them. */
export const clusterOf = async (via: Started): Promise<Body> =>
  (await callAsOperator(via, 'GET', '/sim/v1/cluster')).body

/** Asks a node to move a world to the node with this address. */
export const move = (via: Started, world: string, node: string) =>
  callAsOperator(via, 'POST', '/sim/v1/cluster/moves', { world, node })

/** Moves a world to a node unless it is there, and waits until the node answers for it. */
export async function moveTo(via: Started, world: string, node: Started): Promise<void> {
  await waitUntil(`${world} is open on its node`, async () =>
    (await clusterOf(via)).worlds.some((row: Body) => row.world === world && row.node && row.open),
  )
  const { status, body } = await move(via, world, node.url)
  assert.equal(status, 200, JSON.stringify(body))
  await untilHeld(node, world)
}

/** The response to the bytes of a request. */
export async function responseTo(url: string, request: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  return text(socket)
}
