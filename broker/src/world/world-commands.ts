import type { Command, Decision, View } from '@quipu/core'
import { currentCause } from '../journal/cause.ts'
import type { Incarnations } from './incarnations.ts'
import type { Once, Submission } from './once.ts'
import type { Publisher } from './publisher.ts'
import type { DurableResponse } from './submitted.ts'
import { untilQueryTables } from './until-query-tables.ts'

export type CommandLimits = {
  /** How many events the query tables may be behind. */
  readonly queryTablesLagMax: number
  /** How long a command waits for query tables that are too far behind, before it is refused. */
  readonly queryTablesWaitMs: number
}

/** Submits commands to a world: those of requests, and those that no client waits for. */
export class WorldCommands {
  readonly #incarnations: Incarnations
  readonly #publisher: Publisher
  readonly #limits: CommandLimits

  constructor(incarnations: Incarnations, publisher: Publisher, limits: CommandLimits) {
    this.#incarnations = incarnations
    this.#publisher = publisher
    this.#limits = limits
  }

  /** Whether a command must wait: for overdue commands, or for query tables that are far behind. */
  get isBehind(): boolean {
    const { loop, engine, queryTables } = this.#incarnations.current
    return loop.isBehind || engine.durable - queryTables.position() > this.#limits.queryTablesLagMax
  }

  /** Submits the command of a request to the engine, after overdue commands and after query tables that are far behind. */
  submit<Value>(
    command: Command,
    look: (view: View, decision: Decision) => Value,
    cause = currentCause(),
    once?: Once<Value>,
  ): Promise<DurableResponse<Value>> {
    if (!this.#incarnations.isUp || this.isBehind) return this.#submitLater([command, look, cause, once])
    return this.#incarnations.current.loop.submit(command, look, cause, once)
  }

  /** Submits a command that no client waits for. If the lease is over, the journal stores it only if nobody took over. */
  submitInternal(command: Command): Decision {
    return this.#incarnations.newest.loop.submitInternal(command)
  }

  /** Resolves when no work is pending, all events are durable, and all were forwarded. */
  async quiet(): Promise<void> {
    const { loop, engine } = this.#incarnations.current
    await loop.quiet()
    await engine.untilDurable(engine.view.seq)
    await this.#publisher.flushed()
  }

  async #submitLater<Value>(submission: Submission<Value>): Promise<DurableResponse<Value>> {
    const { loop, engine, queryTables } = this.#incarnations.current
    const { queryTablesLagMax, queryTablesWaitMs } = this.#limits
    await loop.caughtUp()
    await untilQueryTables(queryTables, engine.durable - queryTablesLagMax, queryTablesWaitMs)
    return loop.submit(...submission)
  }
}
