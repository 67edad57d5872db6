import type { AccessStore } from '../access/access-store.ts'
import { Addresses } from '../access/addresses.ts'
import { ConnectionRevocation } from '../access/connection-revocation.ts'
import { Credentials } from '../access/credentials.ts'
import { KeyUses } from '../access/key-uses.ts'
import { MainPeople } from '../access/main-people.ts'

/** Who may use the worlds of the process, and who has. */
export class WorldsAccess {
  readonly credentials: Credentials
  /** Closes connections whose credential has ended. */
  readonly connections: ConnectionRevocation
  /** Client addresses of requests that caused events, in all worlds. */
  readonly addresses: Addresses
  /** When each key was last used, in all worlds. */
  readonly keyUses: KeyUses
  readonly #store: AccessStore

  constructor(store: AccessStore, people: ConstructorParameters<typeof MainPeople>[0]) {
    this.#store = store
    this.credentials = new Credentials(new MainPeople(people))
    this.connections = new ConnectionRevocation((caller, nowMs) => this.credentials.isValid(caller, nowMs))
    this.addresses = new Addresses(store)
    this.keyUses = new KeyUses(store)
  }

  /** The last step, when no world is open. */
  async close(failed: (error: unknown) => void): Promise<void> {
    await this.addresses.close().catch(failed)
    await this.#store.close()
  }
}
