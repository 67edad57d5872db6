import { clientIdOf, type Digest, unreachable } from '@quipu/core'
import type { Committed } from '../journal/committed.ts'
import type { World } from '../world/world.ts'
import { CredentialIndex, registeredApps } from './credential-index.ts'

type AnyIndex = Pick<CredentialIndex<never>, 'addWorld' | 'replaceWorld'>

/**
 * Maps every key, app, code, token, session and sign-in link of the process to its world. Rebuilt at start, and updated
 * by the events of the worlds.
 */
export class CredentialWorlds {
  readonly #keys = new CredentialIndex(({ view }) => view.keys)
  readonly #apps = new CredentialIndex(registeredApps)
  readonly #codes = new CredentialIndex(({ view }) => view.codes)
  readonly #tokens = new CredentialIndex(({ view }) => view.tokenDigests)
  readonly #machines = new CredentialIndex(({ view }) => view.machineTokens)
  readonly #sessions = new CredentialIndex(({ view }) => view.sessions)
  readonly #links = new CredentialIndex(({ view }) => view.signInLinks)
  readonly #indexes = [
    this.#keys,
    this.#apps,
    this.#codes,
    this.#tokens,
    this.#machines,
    this.#sessions,
    this.#links,
  ]
  readonly #removed: (world: World) => void

  /** `removed` is called with each world that was removed or replaced. */
  constructor(removed: (world: World) => void) {
    this.#removed = removed
  }

  /** Adds the credentials of a world and follows its events. Returns a function that removes the world. */
  add(world: World): () => void {
    return this.#followWorld(world, (index) => index.addWorld(world))
  }

  /** A world that was reset or opened again takes over the place of its predecessor. Returns a function that removes it. */
  replace(old: World, world: World): () => void {
    this.#removed(old)
    return this.#followWorld(world, (index) => {
      index.replaceWorld(old, world)
      index.addWorld(world)
    })
  }

  /** The world of a key, which may have expired. */
  ofKey(keyId: string): World | undefined {
    return this.#keys.worldOf(keyId)
  }

  /** The world in which an app is registered. */
  ofApp(clientId: string): World | undefined {
    return this.#apps.worldOf(clientIdOf(clientId))
  }

  /** The world that issued a code. This may be a fork, which has the apps of its parent. */
  ofCode(digest: Digest): World | undefined {
    return this.#codes.worldOf(digest)
  }

  /** The world that issued an app's token, access or refresh. */
  ofToken(digest: Digest): World | undefined {
    return this.#tokens.worldOf(digest)
  }

  ofMachineToken(digest: Digest): World | undefined {
    return this.#machines.worldOf(digest)
  }

  ofSession(digest: Digest): World | undefined {
    return this.#sessions.worldOf(digest)
  }

  /** The world of a sign-in link. */
  ofLink(digest: Digest): World | undefined {
    return this.#links.worldOf(digest)
  }

  /** A world whose lease is over while it is added is not added. */
  #followWorld(world: World, add: (index: AnyIndex) => void): () => void {
    const stop = world.publisher.listen((events) => this.#follow(world, events))
    const remove = () => {
      stop()
      for (const index of this.#indexes) index.removeWorld(world)
      this.#removed(world)
    }
    try {
      for (const index of this.#indexes) add(index)
    } catch (error) {
      remove()
      throw error
    }
    return remove
  }

  /** Credentials that end without a case here fail when they are used, and are removed in time. */
  #follow(world: World, events: readonly Committed[]): void {
    for (const { event } of events) {
      if (!('sealed' in event)) continue
      switch (event.kind) {
        case 'keyIssued':
          this.#keys.add(world, event.sealed.keyId)
          break
        case 'keyRevoked':
          this.#keys.remove(world, event.sealed.keyId)
          break
        case 'appRegistered':
          this.#apps.add(world, event.sealed.clientId)
          break
        case 'codeIssued':
          this.#codes.add(world, event.sealed.code)
          break
        case 'tokenIssued':
        case 'codeExchanged':
        case 'tokenRefreshed':
          this.#tokens.add(world, event.sealed.token)
          if ('refresh' in event.sealed && event.sealed.refresh) this.#tokens.add(world, event.sealed.refresh)
          break
        case 'machineTokenIssued':
          this.#machines.add(world, event.sealed.token)
          break
        case 'signedIn':
          this.#sessions.add(world, event.sealed.session)
          break
        case 'signInLinkIssued':
          this.#links.add(world, event.sealed.link)
          break
        case 'appDeleted':
          this.#apps.remove(world, event.sealed.clientId)
          break
        case 'keyLimited':
        case 'userAdded':
        case 'userChanged':
        case 'operatorRightsRaised':
        case 'operatorRightsDropped':
        case 'totpAdded':
        case 'passkeyAdded':
        case 'factorUsed':
        case 'sessionConfirmed':
        case 'appSecretAdded':
        case 'machineTokenRevoked':
        case 'issuerRegistered':
        case 'signingKeyStored':
        case 'callAnswered':
        case 'worldDescribed':
          break
        default:
          unreachable(event)
      }
    }
  }
}
