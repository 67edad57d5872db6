import { EventEmitter } from 'node:events'
import type { ClientConfig, QueryConfig } from 'pg'
import { injected } from '../faults/injected-error.ts'
import type { DoubleServer, Session } from './server.ts'
import type { Outcome } from './tables.ts'

/** The network between a process and the server. */
export type Network = {
  readonly server: DoubleServer
  /** Sends a statement to the server and returns its response, unless a fault prevents it. */
  send(client: DoubleClient, text: string, values: readonly unknown[]): Promise<Outcome>
  /** Opens a connection, or throws the error of a fault. */
  connect(client: DoubleClient): Promise<void>
  opened(session: Session): void
}

export type Done<Value> = (error: unknown, value?: Value) => void
/** The driver takes the timeout of a statement, but its types omit it. */
type TimedQuery = QueryConfig & { readonly query_timeout?: number }
type Query = {
  readonly text: string
  readonly values: readonly unknown[]
  done: Done<Outcome>
}

/**
 * Behaves like `pg.Client`: a statement waits for the previous one; when the connection breaks, `error` is emitted first
 * and waiting statements are rejected after it; a timeout ends a statement but not the connection.
 */
export class DoubleClient extends EventEmitter {
  readonly #network: Network
  readonly #responseTimeoutMs: number
  readonly #queue: Query[] = []
  #active: Query | undefined
  #session: Session | undefined
  /** Rejects `connect`, while it has not ended. */
  #failConnecting: ((error: unknown) => void) | undefined
  _queryable = true
  _ending = false
  /** The socket below, which a process destroys when the server is silent. */
  readonly connection = { stream: { destroy: () => this.broken(terminated()) } }

  constructor(network: Network, config: ClientConfig = {}) {
    super()
    this.#network = network
    this.#responseTimeoutMs = Number(config.query_timeout || 0)
  }

  get session(): Session {
    return this.#session!
  }

  connect(done?: Done<this>): Promise<this> | undefined {
    const { promise: failed, reject } = Promise.withResolvers<never>()
    this.#failConnecting = reject
    const connected = Promise.race([this.#network.connect(this), failed]).then(() => {
      this.#failConnecting = undefined
      this.#session = this.#network.server.open(() => this.broken(terminated()))
      this.#network.opened(this.#session)
      return this
    })
    return withCallback(connected, done)
  }

  query(
    statement: string | QueryConfig,
    valuesOrDone?: readonly unknown[] | Done<Outcome>,
    done?: Done<Outcome>,
  ): Promise<Outcome> | undefined {
    const config: TimedQuery = typeof statement === 'string' ? { text: statement } : statement
    const { text, values = [], query_timeout: timeoutMs = this.#responseTimeoutMs } = config
    const callback = typeof valuesOrDone === 'function' ? valuesOrDone : done
    const bound = Array.isArray(valuesOrDone) ? valuesOrDone : values
    return withCallback(this.#send(text, bound, timeoutMs), callback)
  }

  end(done?: () => void): Promise<void> | undefined {
    this._ending = true
    this.#session?.closeWhenIdle()
    this.#refuseAll(injected(new Error('Connection terminated')))
    return withCallback(Promise.resolve(), done && (() => done()))
  }

  ref(): void {}
  unref(): void {}

  isConnected(): boolean {
    return this.#session !== undefined && !this.#session.isOver
  }

  /** Ends the connection with an error. */
  broken(error: unknown): void {
    if (!this._queryable || this._ending) return
    this._queryable = false
    this.#session?.closeWhenIdle()
    this.#refuseAll(error)
    // The driver emits no event for a connection that was not yet open.
    if (this.#failConnecting) this.#failConnecting(error)
    else this.emit('error', error)
  }

  #send(text: string, values: readonly unknown[], timeoutMs: number): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const query: Query = { text, values, done: (error, value) => (error ? reject(error) : resolve(value!)) }
      const problem = this.#problem
      if (problem) return process.nextTick(() => query.done(injected(new Error(problem))))
      this.#limit(query, timeoutMs)
      this.#queue.push(query)
      this.#next()
    })
  }

  get #problem(): string | undefined {
    if (this._ending) return 'Client was closed and is not queryable'
    return this._queryable ? undefined : 'Client has encountered a connection error and is not queryable'
  }

  /** Rejects a statement after the timeout, although the server may still execute it. */
  #limit(query: Query, timeoutMs: number): void {
    if (timeoutMs === 0) return
    const { done } = query
    const timer = setTimeout(() => {
      query.done = () => undefined
      const at = this.#queue.indexOf(query)
      if (at >= 0) this.#queue.splice(at, 1)
      done(injected(new Error('Query read timeout')))
    }, timeoutMs)
    query.done = (error, value) => {
      clearTimeout(timer)
      done(error, value)
    }
  }

  #next(): void {
    if (this.#active || this.#queue.length === 0) return
    const query = this.#queue.shift()!
    this.#active = query
    const finish: Done<Outcome> = (error, value) => {
      if (this.#active !== query) return
      this.#active = undefined
      query.done(error, value)
      this.#next()
    }
    this.#network.send(this, query.text, query.values).then((value) => finish(undefined, value), finish)
  }

  #refuseAll(error: unknown): void {
    const waiting = [...(this.#active ? [this.#active] : []), ...this.#queue.splice(0)]
    this.#active = undefined
    for (const { done } of waiting) process.nextTick(() => done(error))
  }
}

export const terminated = (): Error => injected(new Error('Connection terminated unexpectedly'))

function withCallback<Value>(response: Promise<Value>, done?: Done<Value>): Promise<Value> | undefined {
  if (!done) return response
  response.then((value) => done(undefined, value), done)
  return undefined
}
