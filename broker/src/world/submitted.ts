import type { BrokerEvent } from '@quipu/core'

/** A response value and the journal number of the state that it was read from. */
export type DurableResponse<Value> = { readonly value: Value; readonly seq: number }

/** The events of a command, and its response. */
export type Submitted<Value> = {
  readonly events: readonly BrokerEvent[]
  readonly response: Promise<DurableResponse<Value>>
}

/** The journal failed while the command was being stored: no response may be sent, because the outcome is unknown. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('the journal failed while it stored the command; the outcome is unknown', { cause })
    this.name = 'OutcomeUnknown'
  }
}
