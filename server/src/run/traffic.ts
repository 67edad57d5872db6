/** A request that the broker refused. */
export type Refusal = {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly message: string
  readonly requestId?: string | undefined
}

const REFUSALS_MAX = 1000

/** What arrived from the program. It keeps no header and no key. */
export class Traffic {
  /** HTTP requests and WebSocket connections. */
  requests = 0
  /** Whether a key of the program was replaced by the key of the world. */
  keysReplaced = false
  readonly refusals: Refusal[] = []

  refused(refusal: Refusal): void {
    if (this.refusals.length < REFUSALS_MAX) this.refusals.push(refusal)
  }
}
