import assert from 'node:assert/strict'
import { Credentials } from '../../../server/src/access/credentials.ts'
import type { World } from '../../../server/src/world/world.ts'
import type { OwnGrants } from '../checker/oauth-checks.ts'
import type { Clients } from './clients.ts'

/** Where bearers of tokens are let in, as in the process: it knows what a world has when it starts, and hears the rest. */
export class TokenDoor {
  #credentials = new Credentials()
  #world: World | undefined

  lead(world: World): void {
    this.#credentials = new Credentials()
    this.#credentials.addWorld(world)
    this.#world = world
  }

  /**
   * A token that someone was given opens the door as long as it should, whatever happened to the process since; one
   * that someone was told is revoked never does again.
   */
  assertKept(grants: OwnGrants, { tokens: { issued, revoked }, wishes }: Clients): void {
    const { view, now } = this.#world!
    for (const digest of issued) {
      assert(grants.knows(digest), 'a token that was given is in the journal')
      const caller = this.#credentials.byToken(wishes.oauth.secrets.get(digest)!, 'paper')
      assert.equal(caller !== undefined, grants.speaks(digest, now), 'a token works as long as it should')
    }
    for (const id of revoked) assert(!view.tokens.has(id), 'what was revoked stays so')
  }
}
