import type { OperatorKey } from './types.ts'

/** What the thread returns about a started broker. */
export type StartedBroker = { readonly broker: number; readonly key: OperatorKey }

export type ToThread = { readonly kind: 'start' } | { readonly kind: 'close'; readonly broker: number }

/** The response to the message with the same id. The id 0 reports that the modules are loaded. */
export type FromThread = {
  readonly id: number
  readonly started?: StartedBroker
  readonly error?: string
}
