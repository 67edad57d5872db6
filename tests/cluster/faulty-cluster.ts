import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster as Postgres } from '../../server/src/postgres/testing/server.ts'
import { openProxy, type TcpProxy } from '../../server/src/process/testing/tcp-proxy.ts'
import { type Broker, callAsOperator } from '../broker.ts'
import { waitUntil } from '../wait-until.ts'
import { startNode } from './nodes.ts'

/** A node, and the connections to it and from it to the database, which can fail. */
export type Node = {
  readonly name: string
  broker: Broker
  isAlive: boolean
  /** The connections of other nodes to this one. */
  readonly peers: TcpProxy
  /** The connections of this node to each database server. */
  readonly databases: readonly TcpProxy[]
}

/** Nodes on a PostgreSQL primary with a synchronous standby. */
export class FaultyCluster {
  readonly nodes: Node[] = []
  primary: Postgres
  standby: Postgres | undefined

  private constructor(primary: Postgres, standby: Postgres) {
    this.primary = primary
    this.standby = standby
  }

  static async start(count: number): Promise<FaultyCluster> {
    const primary = await Postgres.start()
    const cluster = new FaultyCluster(primary, await primary.startStandby())
    await Promise.all(Array.from({ length: count }, (_, index) => cluster.#add(`node ${index}`)))
    return cluster
  }

  async stop(): Promise<void> {
    for (const { broker, peers, databases } of this.nodes) {
      broker.process.kill('SIGCONT')
      await broker.kill()
      for (const proxy of [peers, ...databases]) proxy.close()
    }
    await Promise.all([this.primary.stop(), this.standby?.stop()])
  }

  /** The nodes that are not killed. */
  get alive(): readonly Node[] {
    return this.nodes.filter(({ isAlive }) => isAlive)
  }

  async kill(node: Node): Promise<void> {
    node.isAlive = false
    await node.broker.kill()
  }

  async restart(node: Node): Promise<void> {
    node.broker = await this.#start(node)
    node.isAlive = true
  }

  /** Waits until every node answers for every world. */
  async untilHealthy(worlds: readonly string[]): Promise<void> {
    for (const { broker, name } of this.alive)
      for (const world of worlds)
        await waitUntil(`${name} answers for ${world}`, async () => {
          const path = `/sim/v1/worlds/${world}/journal`
          const answer = callAsOperator(broker, 'GET', path).catch(() => ({ status: 0 }))
          const { status } = await Promise.race([answer, sleep(2_000, { status: 0 })])
          return status === 200
        })
  }

  async #add(name: string): Promise<void> {
    const servers = [this.primary, this.standby!]
    const databases = await Promise.all(servers.map((one) => openProxy(one.url())))
    const peers = await openProxy('http://127.0.0.1:1')
    const node = { name, peers, databases, isAlive: true } as Omit<Node, 'broker'> as Node
    node.broker = await this.#start(node)
    this.nodes.push(node)
  }

  async #start({ peers, databases }: Node): Promise<Broker> {
    const hosts = databases.map(({ url }) => new URL(url).host)
    const store = databases[0]!.url.replace(hosts[0]!, hosts.join())
    const broker = await startNode(store, [], { QUIPU_NODE_URL: peers.url })
    peers.forwardTo(broker.url)
    return broker
  }
}
