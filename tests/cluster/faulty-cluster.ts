import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster as Postgres } from '../../server/src/postgres/testing/server.ts'
import { openProxy, type TcpProxy } from '../../server/src/process/testing/tcp-proxy.ts'
import { type Body, type Broker, callAsOperator } from '../broker.ts'
import { waitUntil } from '../wait-until.ts'
import { clusterOf, startNode } from './nodes.ts'

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
  /** The database servers. The nodes know their addresses in this order, whichever is the primary. */
  readonly #servers: Postgres[]
  #primary = 0

  private constructor(servers: readonly [primary: Postgres, standby: Postgres]) {
    this.#servers = [...servers]
  }

  static async start(count: number): Promise<FaultyCluster> {
    const primary = await Postgres.start()
    const cluster = new FaultyCluster([primary, await primary.startStandby()])
    await Promise.all(Array.from({ length: count }, (_, index) => cluster.#add(`node ${index}`)))
    return cluster
  }

  async stop(): Promise<void> {
    for (const { broker, peers, databases } of this.nodes) {
      broker.process.kill('SIGCONT')
      await broker.kill()
      for (const proxy of [peers, ...databases]) proxy.close()
    }
    await Promise.all(this.#servers.map((server) => server.stop()))
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

  /** Kills the standby and starts it again later. */
  async withoutStandby(wait: () => Promise<void>): Promise<void> {
    const standby = this.#servers[1 - this.#primary]!
    await standby.kill()
    await wait()
    await standby.start()
  }

  /** Makes the standby the primary, while the old primary is dead or alive. */
  async promote(old: 'dead' | 'alive'): Promise<void> {
    if (old === 'dead') await this.#servers[this.#primary]!.kill()
    const next = 1 - this.#primary
    await this.#servers[next]!.promote()
    this.#primary = next
  }

  /** Replaces the old primary by a new standby, after a promotion. */
  async replaceOldPrimary(): Promise<void> {
    const old = 1 - this.#primary
    await this.#servers[old]!.kill()
    const standby = await this.#servers[this.#primary]!.startStandby()
    await this.#servers[old]!.stop()
    this.#servers[old] = standby
    for (const { databases } of this.nodes) databases[old]!.forwardTo(standby.url())
  }

  /** The number of the node that holds a world. */
  async holderOf(world: string): Promise<number> {
    const { nodes, worlds } = await clusterOf(this.nodes[0]!.broker)
    const { node } = worlds.find((row: Body) => row.world === world)
    const { address } = nodes.find(({ name }: Body) => name === node)
    return this.nodes.findIndex(({ peers }) => peers.url === address)
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
    const databases = await Promise.all(this.#servers.map((one) => openProxy(one.url())))
    const peers = await openProxy('http://127.0.0.1:1')
    const node = { name, peers, databases, isAlive: true } as Omit<Node, 'broker'> as Node
    node.broker = await this.#start(node)
    this.nodes.push(node)
  }

  async #start({ peers, databases }: Node): Promise<Broker> {
    const hosts = databases.map(({ url }) => new URL(url).host)
    const store = databases[0]!.url.replace(hosts[0]!, hosts.join())
    const broker = await startNode(store, [], { QUIPU_NODE_URL: peers.url, QUIPU_TRUST_PROXY: 'on' })
    peers.forwardTo(broker.url)
    return broker
  }
}
