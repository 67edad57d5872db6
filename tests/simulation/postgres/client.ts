import { EventEmitter } from 'node:events'
import type { ClientConfig, QueryConfig } from 'pg'
import { made } from '../faults/injected-error.ts'
import type { DoubleServer, Session } from './server.ts'
import type { Outcome } from './statements.ts'

/** What lies between a process and the server. */
export type Wire = {
  readonly server: DoubleServer
  /** Brings a statement to the server and the answer back, or not. */
  carry(client: DoubleClient, text: string, values: readonly unknown[]): Promise<Outcome>
  /** Lets a connection be made, or throws what the client is told. */
  dial(client: DoubleClient): Promise<void>
  opened(session: Session): void
}

export type Done<Value> = (error: unknown, value?: Value) => void
type Asked = {
  readonly text: string
  readonly values: readonly unknown[]
  done: Done<Outcome>
}

/**
 * As `pg.Client` behaves: statements wait for the one before; when the connection breaks, `error` is told first and
 * every statement that waits is refused after; a silence ends a statement and not the connection.
 */
export class DoubleClient extends EventEmitter {
  readonly #wire: Wire
  readonly #answerTimeoutMs: number
  readonly #queue: Asked[] = []
  #active: Asked | undefined
  #session: Session | undefined
  _queryable = true
  _ending = false

  constructor(wire: Wire, config: ClientConfig = {}) {
    super()
    this.#wire = wire
    this.#answerTimeoutMs = Number(config.query_timeout || 0)
  }

  get session(): Session {
    return this.#session!
  }

  connect(done?: Done<this>): Promise<this> | undefined {
    const dialed = this.#wire.dial(this).then(() => {
      this.#session = this.#wire.server.open(() => this.broken(terminated()))
      this.#wire.opened(this.#session)
      return this
    })
    return settled(dialed, done)
  }

  query(
    asked: string | QueryConfig,
    given?: readonly unknown[] | Done<Outcome>,
    done?: Done<Outcome>,
  ): Promise<Outcome> | undefined {
    const { text, values = [] } = typeof asked === 'string' ? { text: asked } : asked
    const told = typeof given === 'function' ? given : done
    const bound = Array.isArray(given) ? given : values
    return settled(this.#ask(text, bound), told)
  }

  end(done?: () => void): Promise<void> | undefined {
    this._ending = true
    this.#session?.hangUp()
    this.#refuseAll(made(new Error('Connection terminated')))
    return settled(Promise.resolve(), done && (() => done()))
  }

  ref(): void {}
  unref(): void {}

  isConnected(): boolean {
    return this.#session !== undefined && !this.#session.isOver
  }

  /** The connection is no more. */
  broken(error: unknown): void {
    if (!this._queryable || this._ending) return
    this._queryable = false
    this.#session?.hangUp()
    this.#refuseAll(error)
    this.emit('error', error)
  }

  #ask(text: string, values: readonly unknown[]): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const asked: Asked = { text, values, done: (error, value) => (error ? reject(error) : resolve(value!)) }
      const problem = this.#problem
      if (problem) return process.nextTick(() => asked.done(made(new Error(problem))))
      this.#limit(asked)
      this.#queue.push(asked)
      this.#next()
    })
  }

  get #problem(): string | undefined {
    if (this._ending) return 'Client was closed and is not queryable'
    return this._queryable ? undefined : 'Client has encountered a connection error and is not queryable'
  }

  /** Whoever waits too long is told; the statement is on its way all the same. */
  #limit(asked: Asked): void {
    if (this.#answerTimeoutMs === 0) return
    const { done } = asked
    const timer = setTimeout(() => {
      asked.done = () => undefined
      const at = this.#queue.indexOf(asked)
      if (at >= 0) this.#queue.splice(at, 1)
      done(made(new Error('Query read timeout')))
    }, this.#answerTimeoutMs)
    asked.done = (error, value) => {
      clearTimeout(timer)
      done(error, value)
    }
  }

  #next(): void {
    if (this.#active || this.#queue.length === 0) return
    const asked = this.#queue.shift()!
    this.#active = asked
    const finish: Done<Outcome> = (error, value) => {
      if (this.#active !== asked) return
      this.#active = undefined
      asked.done(error, value)
      this.#next()
    }
    this.#wire.carry(this, asked.text, asked.values).then((value) => finish(undefined, value), finish)
  }

  #refuseAll(error: unknown): void {
    const waiting = [...(this.#active ? [this.#active] : []), ...this.#queue.splice(0)]
    this.#active = undefined
    for (const { done } of waiting) process.nextTick(() => done(error))
  }
}

export const terminated = (): Error => made(new Error('Connection terminated unexpectedly'))

function settled<Value>(answer: Promise<Value>, done?: Done<Value>): Promise<Value> | undefined {
  if (!done) return answer
  answer.then((value) => done(undefined, value), done)
  return undefined
}
