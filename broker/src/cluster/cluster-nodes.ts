import type { ClusterTable, NodeRow } from './table.ts'

/** The nodes in the table of the cluster, as this node has read it last. */
export class ClusterNodes {
  readonly #name: string
  readonly #table: () => ClusterTable
  /** One for each node that somebody waits for. */
  readonly #running = new Map<string, AbortController>()

  /** `name` is that of this node. */
  constructor(name: string, table: () => ClusterTable) {
    this.#name = name
    this.#table = table
  }

  /** The other nodes that claim worlds. */
  get others(): readonly NodeRow[] {
    return this.#table().nodes.filter(({ name, draining }) => name !== this.#name && !draining)
  }

  /** Whether this node drains. */
  get isDraining(): boolean {
    return this.#table().nodes.some(({ name, draining }) => name === this.#name && draining)
  }

  /** Whether the node with this address renews its lease. */
  isRunning(address: string): boolean {
    return this.#table().nodes.some((node) => node.address === address)
  }

  /** How many worlds a node holds. */
  countOf(node: string): number {
    return this.#table().worlds.filter(({ holder }) => holder?.name === node).length
  }

  /** How many other nodes have fewer worlds than this one, or as many and an earlier name. It opens some now. */
  rank(opening: number): number {
    const mine = this.countOf(this.#name) + opening
    return this.others.filter((node) => {
      const theirs = this.countOf(node.name)
      return theirs < mine || (theirs === mine && node.name < this.#name)
    }).length
  }

  /** Aborts when a node does not run any more. */
  whileRunning(node: string): AbortSignal {
    const running = this.#running.get(node) ?? new AbortController()
    this.#running.set(node, running)
    this.abortLost()
    return running.signal
  }

  /** After each read of the table: nobody waits any longer for nodes that have left it. */
  abortLost(): void {
    const names = new Set(this.#table().nodes.map(({ name }) => name))
    for (const [name, running] of this.#running)
      if (!names.has(name)) {
        this.#running.delete(name)
        running.abort(new Error('it does not renew its entry in the database'))
      }
  }
}
