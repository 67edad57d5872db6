import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../broker/src/postgres/connection.ts'
import { freePort } from '../../broker/src/postgres/testing/free-port.ts'
import { Cluster as Postgres } from '../../broker/src/postgres/testing/server.ts'
import { openProxy, type TcpProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import type { Body, Broker } from '../support/broker.ts'
import { clusterOf, startNode } from './nodes.ts'

/** A node, and the connections to it and from it to the database, which can fail. */
export type Node = {
  readonly name: string
  /** The same after a restart. */
  readonly port: number
  broker: Broker
  isAlive: boolean
  /** The connections of other nodes to this one. */
  readonly peers: TcpProxy
  /** The connections of this node to each database server. */
  readonly databases: readonly TcpProxy[]
}

/** Functions that hide those of PostgreSQL, so that the clock of the database can differ from that of the machine. */
export const simulateClock = `
  CREATE TABLE clock (ahead interval NOT NULL);
  INSERT INTO clock VALUES ('0');
  CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM public.clock';
  CREATE FUNCTION now() RETURNS timestamptz LANGUAGE sql STABLE
    AS 'SELECT pg_catalog.now() + ahead FROM public.clock';
  ALTER DATABASE postgres SET search_path = public, pg_catalog`

/** Between looks at the leases while a claim is expected. Shorter than the opening of a world. */
const CLAIM_LOOK_MS = 2
/** How late each response of a slow database is. The opening of a world waits for several. */
const SLOW_MS = 40

/** A database that needs longer for a connection is slow, or does not answer. */
const AT_ONCE_MS = 500

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
    await primary.run(simulateClock)
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

  /** Runs a statement on the primary. */
  query(sql: string): Promise<readonly Body[]> {
    return this.#servers[this.#primary]!.run(sql)
  }

  /** Whether the database answers a node at once now. */
  async reachesDatabase({ databases }: Node): Promise<boolean> {
    const answered = connect(databases[this.#primary]!.url).then(async (connection) => {
      await connection.end()
      return true
    })
    return Promise.race([answered.catch(() => false), sleep(AT_ONCE_MS, false)])
  }

  async kill(node: Node): Promise<void> {
    node.isAlive = false
    await node.broker.kill()
  }

  /** Stops a node as a supervisor does, and starts it again. */
  async stopAndStart(node: Node): Promise<void> {
    node.isAlive = false
    await node.broker.stop()
    await this.restart(node)
  }

  async restart(node: Node): Promise<void> {
    node.broker = await this.#start(node)
    node.isAlive = true
  }

  /** Stops the process of a node for a while. Its clock runs on. */
  async pause({ broker }: Node, ms: number): Promise<void> {
    broker.process.kill('SIGSTOP')
    await sleep(ms)
    broker.process.kill('SIGCONT')
  }

  /** Sets the clock of the database this far ahead of that of the machine, or behind it. */
  async setClock(ahead: string): Promise<void> {
    await this.query(`UPDATE clock SET ahead = '${ahead}'`)
  }

  /**
   * Stops a node so long after it has claimed a world, while it opens the world. `cause` makes a node claim one. A slow
   * database lengthens the opening. Returns false if no node claimed one.
   */
  async pauseWhileOpening(cause: () => Promise<unknown>, afterMs: number, ms: number): Promise<boolean> {
    this.#delayDatabases(SLOW_MS)
    const connection = await connect(this.#servers[this.#primary]!.url())
    const leases = async () =>
      (await connection.query('SELECT world, fence, address FROM quipu_journals')).rows
    try {
      const before = new Map((await leases()).map(({ world, fence }) => [world, fence]))
      let isOver = false
      const caused = cause()
        .catch(() => undefined)
        .then(() => (isOver = true))
      let taken: Node | undefined
      for (; !taken && !isOver; await sleep(CLAIM_LOOK_MS)) {
        const found = (await leases()).find(({ world, fence }) => before.get(world) !== fence)
        taken = this.nodes.find(({ peers }) => peers.url === found?.address)
      }
      await sleep(afterMs)
      const paused = taken && this.pause(taken, ms)
      this.#delayDatabases(0)
      await Promise.all([paused, caused])
      return taken !== undefined
    } finally {
      this.#delayDatabases(0)
      await connection.end()
    }
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

  #delayDatabases(ms: number): void {
    for (const { databases } of this.nodes) for (const proxy of databases) proxy.delay(ms)
  }

  async #add(name: string): Promise<void> {
    const databases = await Promise.all(this.#servers.map((one) => openProxy(one.url())))
    const port = await freePort()
    const peers = await openProxy(`http://127.0.0.1:${port}`)
    const node = { name, port, peers, databases, isAlive: true } as Omit<Node, 'broker'> as Node
    node.broker = await this.#start(node)
    this.nodes.push(node)
  }

  #start({ port, peers, databases }: Node): Promise<Broker> {
    const hosts = databases.map(({ url }) => new URL(url).host)
    const store = databases[0]!.url.replace(hosts[0]!, hosts.join())
    const env = { QUIPU_NODE_URL: peers.url, QUIPU_TRUST_PROXY: 'on' }
    return startNode(store, ['--port', String(port)], env)
  }
}
