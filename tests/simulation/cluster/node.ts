import type { Server } from 'node:http'
import { createLog } from '../../../broker/src/log/log.ts'
import { openMemoryQueryTables } from '../../../broker/src/query-tables/memory.ts'
import { PostgresServer } from '../../../broker/src/registry/store/postgres-server.ts'
import { type Config, readConfig } from '../../../server/src/config/config.ts'
import { openNode } from '../../../server/src/start/cluster-node.ts'
import type { RunningQuipu } from '../../../server/src/start/running.ts'
import { currentProcess, type SimulatedProcess } from '../faults/event-loop.ts'
import type { Note } from '../faults/store.ts'
import type { DatabaseNetwork } from './database.ts'
import type { Host } from './network.ts'

const URL = 'postgres://quipu@10.0.1.1:5432/simulated'

/** The credentials of `main`, the same on all nodes. */
export const credentials = {
  keyId: 'PK-THE-PAPER-ACCOUNT',
  secretKey: 'a-secret-that-a-person-has-chosen-1234567',
  brokerKey: 'CK-THE-OPERATOR',
  brokerSecret: 'another-secret-that-a-person-has-chosen-1',
} as const

export type Process = SimulatedProcess & {
  isPaused: boolean
  isOver: boolean
  readonly host: NodeHost
  readonly database: DatabaseNetwork
}

/** A machine with at most one running node. */
export class NodeHost implements Host {
  readonly name: string
  readonly #note: Note
  readonly #newDatabase: (process: SimulatedProcess) => DatabaseNetwork
  #starts = 0
  #process: Process | undefined
  #server: Server | undefined
  #quipu: RunningQuipu | undefined

  constructor(number: number, note: Note, newDatabase: (process: SimulatedProcess) => DatabaseNetwork) {
    this.name = `10.0.0.${number}:7878`
    this.#note = note
    this.#newDatabase = newDatabase
  }

  get url(): string {
    return `http://${this.name}`
  }

  get process(): Process | undefined {
    return this.#process
  }

  get isRunning(): boolean {
    return this.#process !== undefined && !this.#process.isOver
  }

  get accept(): Host['accept'] {
    const server = this.#server
    return server && ((socket) => void server.emit('connection', socket))
  }

  /** The server of the process listens. */
  set server(server: Server) {
    this.#server = server
  }

  /** Starts the real node as a new process. */
  async start(): Promise<void> {
    this.#server = undefined
    const flags = { isPaused: false, isOver: false, host: this }
    const process: Process = Object.assign(flags, { database: this.#newDatabase(flags) })
    this.#process = process
    const holder = `${this.name} ${++this.#starts}`
    this.#quipu = await currentProcess.run(process, () => {
      const queryTables = {
        start: () => undefined,
        open: ({ journal }: Opening) => openMemoryQueryTables(journal),
      }
      // The name of a journal is random.
      const named = (text: string) => text.replace(/(the world [a-z0-9-]+)\.\d+/g, '$1')
      const write = (text: string) => this.#note(`${holder}: ${named(text.trimEnd())}`)
      const log = createLog({ level: 'warn', readable: true, write, now: () => 0 })
      return openNode(configOf(this.url), log, undefined, new PostgresServer(URL, { holder, queryTables }))
    })
  }

  /** Stops the node as SIGTERM does. */
  async stop(): Promise<void> {
    await currentProcess.run(this.#process, () => this.#quipu!.close())
  }

  /** Ends the process at once. */
  kill(): void {
    this.#process!.isOver = true
    this.#process!.database.ended()
  }
}

type Opening = Parameters<PostgresServer['queryTables']['open']>[0]

const configOf = (nodeUrl: string): Config => {
  const env = {
    QUIPU_STORE: URL,
    QUIPU_DATA: 'memory',
    QUIPU_HOST: '0.0.0.0',
    QUIPU_NODE_URL: nodeUrl,
    QUIPU_CLUSTER_SECRET: 'the-secret-that-all-nodes-of-this-run-share',
    QUIPU_KEY_ID: credentials.keyId,
    QUIPU_SECRET_KEY: credentials.secretKey,
    QUIPU_BROKER_KEY: credentials.brokerKey,
    QUIPU_BROKER_SECRET: credentials.brokerSecret,
    QUIPU_SEED: 'simulated',
    QUIPU_READERS: '0',
    QUIPU_FEES: 'none',
    QUIPU_RATE_LIMIT: '0',
    // Clients ask with the keys of deleted worlds, from the same address as the operator.
    QUIPU_FAILED_ATTEMPTS_MAX: '0',
    QUIPU_PING_INTERVAL_MS: '1000',
  }
  return readConfig({ flags: new Map(), env, readText: () => '' }).config
}
