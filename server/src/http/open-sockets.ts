import type { World } from '../world/world.ts'

/** An open stream, as operators see it. */
export type SocketInfo = {
  readonly id: string
  readonly endpoint: string
  /** Absent until it has authenticated. */
  readonly world: World | undefined
  readonly keyId: string | undefined
  readonly accountId: string | undefined
  readonly address: string
  /** Milliseconds since 1970, of the machine's clock. */
  readonly openedMs: number
  /** Symbols by channel. */
  readonly subscriptions: Readonly<Record<string, readonly string[]>>
  readonly sentMessages: number
  readonly sentBytes: number
  readonly waitingBytes: number
  readonly lagMs: number
}

export type SocketSource = {
  all(): Iterable<SocketInfo>
  /** False if it is closed already. */
  close(id: string): boolean
}

/** The open streams of the process. The streams server registers itself as the source when it starts. */
export class OpenSockets {
  #source: SocketSource | undefined

  register(source: SocketSource): void {
    this.#source = source
  }

  all(): Iterable<SocketInfo> {
    return this.#source?.all() ?? []
  }

  close(id: string): boolean {
    return this.#source?.close(id) ?? false
  }
}
