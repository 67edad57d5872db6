/** What a process of the program reports when its event loop is idle. */
export type ProgramReport = {
  /** Processes that it has started and whose end it has not seen. */
  readonly children: readonly (number | string)[]
  /** The number of requests to fire timers that it has finished. */
  readonly fired: number
  /** The number of times that it was given messages of later instants, and how many of the last it has received. */
  readonly batches: number
  /** Null: it cannot be given any. */
  readonly ahead: number | null
  /** It knows all of its own work, so that it is idle also before its first connection. */
  readonly isWhole?: boolean
  /** It still works, at the time of the last message ahead that it has received. */
  readonly works?: boolean
  /** How often it began to work, and the last question that it was idle at. */
  readonly turns: number
  readonly confirmed: number
  /** When its next timer is due, or the end of its wait if it blocks, in milliseconds since 1970. */
  readonly next: number | null
  /** Whether its thread blocks and cannot report: in a wait, or until the end of a process that it has started. */
  readonly blocked?: false | 'wait' | 'process'
  /** Bytes read and written on each connection to the gateway. */
  readonly connections: readonly (readonly [id: string, read: number, written: number])[]
}

/** Other messages of a process: its number, first of all, why the replay is not exact, and the end of a block. */
export type ProgramMessage =
  | { readonly pid: number | string }
  | { readonly inexact: string }
  | { readonly unblocked: true }
