import {
  type AccountId,
  type BrowserSession,
  type Digest,
  hasServerRole,
  isOpenAccount,
  owns,
  type SessionId,
  type User,
  type UserId,
  type WorldId,
} from '@quipu/core'
import type { World } from '../world/world.ts'
import type { Caller, SignedInCaller } from './caller.ts'
import type { MainPeople } from './main-people.ts'
import { isConfirmed } from './second-factor.ts'

type SessionToken = {
  readonly of: Pick<SignedInCaller, 'world' | 'digest' | 'session'>
  readonly caller: Caller
  readonly opens: SessionWorld | undefined
  readonly endsAtMs: number
}

/**
 * A stored world that a token opens by its name, because any node of the cluster may hold it: one account, or the
 * operations of an operator.
 */
export type SessionWorld = { readonly world: WorldId; readonly accountId?: AccountId | undefined }

/** Lifetime of a token; the page then requests the next. */
export const SESSION_TOKEN_MS = 300_000
/** Maximum number of tokens per session; the oldest are dropped first. */
export const TOKENS_OF_SESSION_MAX = 64
/** How many tokens all sessions together may have. */
export const SESSION_TOKENS_MAX = 10_000

/**
 * Tokens for the pages of signed-in users. They last minutes and cost nothing to renew, so they are kept only in memory:
 * a restart drops them, and the session requests new ones. A token never outlives its session, and never has more rights
 * than its user has at the time.
 */
export class SessionTokens {
  /** All tokens have the same lifetime, so the oldest come first. */
  readonly #tokens = new Map<Digest, SessionToken>()
  readonly #bySession = new Map<SessionId, Set<Digest>>()
  readonly #people: MainPeople

  constructor(people: MainPeople) {
    this.#people = people
  }

  /** With `opens` the caller is the operator whose rights open that world. */
  issue(
    digest: Digest,
    of: SessionToken['of'],
    caller: Caller,
    nowMs: number,
    opens?: SessionWorld | undefined,
  ): void {
    for (const [old, { endsAtMs }] of this.#tokens) {
      if (endsAtMs > nowMs) break
      this.#delete(old)
    }
    const sameSession = this.#bySession.get(of.session.id) ?? new Set()
    for (const old of sameSession) {
      if (sameSession.size < TOKENS_OF_SESSION_MAX) break
      this.#delete(old)
    }
    for (const old of this.#tokens.keys()) {
      if (this.#tokens.size < SESSION_TOKENS_MAX) break
      this.#delete(old)
    }
    this.#tokens.set(digest, { of, caller, opens, endsAtMs: nowMs + SESSION_TOKEN_MS })
    this.#bySession.set(of.session.id, sameSession.add(digest))
  }

  #delete(digest: Digest): void {
    const token = this.#tokens.get(digest)
    if (!token) return
    this.#tokens.delete(digest)
    const { id } = token.of.session
    const sameSession = this.#bySession.get(id)
    sameSession?.delete(digest)
    if (sameSession?.size === 0) this.#bySession.delete(id)
  }

  /** The session of a token, if there is such a token. */
  sessionOf(digest: Digest): Pick<SignedInCaller, 'world' | 'digest'> | undefined {
    return this.#tokens.get(digest)?.of
  }

  caller(digest: Digest, nowMs: number): Caller | undefined {
    const token = this.#valid(digest, nowMs)
    return token?.opens ? undefined : token?.caller
  }

  /** The world that a token opens by its name, and the operator whose rights open it. */
  opened(
    digest: Digest,
    nowMs: number,
  ): { readonly caller: Caller; readonly opens: SessionWorld } | undefined {
    const { caller, opens } = this.#valid(digest, nowMs) ?? {}
    return caller && opens && { caller, opens }
  }

  #valid(digest: Digest, nowMs: number): SessionToken | undefined {
    const token = this.#tokens.get(digest)
    return token && token.endsAtMs > nowMs && isSessionValid(this.#people, token.of, token.caller, nowMs)
      ? token
      : undefined
  }

  /** The world was deleted. */
  removeWorld(world: World): void {
    for (const [digest, { of, caller }] of this.#tokens)
      if (of.world === world || caller.world === world) this.#delete(digest)
  }
}

/** Whether the session is active, and its user still has the rights that the token was issued for. */
export function isSessionValid(
  people: MainPeople,
  { world, digest }: Pick<SignedInCaller, 'world' | 'digest'>,
  caller: Caller,
  nowMs: number,
): boolean {
  const session = world.view.sessions.get(digest)
  const user = session && userWithRights(world, session.userId)
  if (!user || user.disabled || session.endsAtMs <= nowMs || !people.isCurrent(user, session)) return false
  if (people.isAuditor(user, session) && mayChange(caller)) return false
  // The user has added a second factor meanwhile, in another browser.
  if (!isConfirmed('optional', { user, hasFactor: people.hasFactor(user, session) }, session)) return false
  if (caller.kind === 'account' && !caller.isByOperator)
    return owns(caller.world.view, user.id, caller.accountId)
  if (!mayOperate(user, session, nowMs)) return false
  return caller.kind === 'partner' || isOpenAccount(caller.world.view, caller.accountId)
}

/** A token that was issued before its user became an auditor has more rights than the user. */
const mayChange = (caller: Caller): boolean => !(caller.kind === 'partner' ? caller.auditor : caller.readOnly)

/** A session has the rights of an operator or auditor only for a limited time. */
export const mayOperate = (
  user: Pick<User, 'operator' | 'auditor'>,
  { operatorUntilMs = 0 }: Pick<BrowserSession, 'operatorUntilMs'>,
  nowMs: number,
): boolean => hasServerRole(user) && operatorUntilMs > nowMs

/** A user with the rights that count: only people of `main` have rights over the server. */
export function userWithRights({ view, access }: World, id: UserId): User | undefined {
  const user = view.users.get(id)
  return !user || access.hasOperators || !hasServerRole(user)
    ? user
    : { ...user, operator: false, auditor: false }
}
