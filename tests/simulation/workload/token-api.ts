import assert from 'node:assert/strict'
import { Credentials } from '../../../broker/src/access/credentials.ts'
import type { World } from '../../../broker/src/world/world.ts'
import type { CheckerGrants } from '../checker/oauth-checks.ts'
import type { Clients } from './clients.ts'

/** Authenticates tokens like the process: loads the tokens of a world at its start and follows its events. */
export class TokenApi {
  #credentials = new Credentials()
  #world: World | undefined

  setWorld(world: World): void {
    this.#credentials = new Credentials()
    this.#credentials.addWorld(world)
    this.#world = world
  }

  /**
   * A received token works until its expiry or revocation, also after crashes; a token whose revocation was acknowledged
   * never works again.
   */
  assertConsistent(grants: CheckerGrants, { tokens: { issued, revoked }, generator }: Clients): void {
    const { view, now } = this.#world!
    for (const digest of issued) {
      assert(grants.hasIssued(digest), 'a received token is in the journal')
      const caller = this.#credentials.byToken(generator.oauth.secrets.get(digest)!, 'paper')
      assert.equal(
        caller !== undefined,
        grants.isValid(digest, now),
        'a token works until its expiry or revocation',
      )
    }
    for (const id of revoked) assert(!view.tokens.has(id), 'a revoked token stays revoked')
  }
}
