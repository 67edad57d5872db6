import { type BrowserSession, type Digest, owns, type Person, type SessionId } from '@quipu/core'
import type { World } from '../world/world.ts'
import type { Caller, SignedIn } from './caller.ts'

type SessionToken = {
  readonly of: Pick<SignedIn, 'world' | 'digest' | 'session'>
  readonly caller: Caller
  readonly endsAtMs: number
}

/** How long a page may use one before it asks for the next. */
export const SESSION_TOKEN_MS = 300_000
/** So many does one browser have at a time; the oldest go first. */
export const TOKENS_OF_SESSION_MAX = 64
/** And so many all browsers together. */
export const SESSION_TOKENS_MAX = 10_000

/**
 * Tokens for the pages of people who have signed in. They last minutes and are got again for nothing, so they are kept
 * in memory alone: a restart ends them, and the session gets new ones. None is good for longer than its session, nor
 * for more than its person may at the time.
 */
export class SessionTokens {
  /** All live equally long: the oldest stand first. */
  readonly #tokens = new Map<Digest, SessionToken>()

  issue(digest: Digest, of: SessionToken['of'], caller: Caller, nowMs: number): void {
    const own: Digest[] = []
    for (const [old, token] of this.#tokens)
      if (token.endsAtMs <= nowMs) this.#tokens.delete(old)
      else if (token.of.session.id === of.session.id) own.push(old)
    for (const old of own.slice(0, Math.max(0, own.length - TOKENS_OF_SESSION_MAX + 1)))
      this.#tokens.delete(old)
    for (const old of this.#tokens.keys()) {
      if (this.#tokens.size < SESSION_TOKENS_MAX) break
      this.#tokens.delete(old)
    }
    this.#tokens.set(digest, { of, caller, endsAtMs: nowMs + SESSION_TOKEN_MS })
  }

  caller(digest: Digest, nowMs: number): Caller | undefined {
    const token = this.#tokens.get(digest)
    return token && token.endsAtMs > nowMs && isUpheld(token.of, token.caller, nowMs)
      ? token.caller
      : undefined
  }

  /** Whoever signs out leaves nothing behind. Yields the credentials that ended. */
  endOf(sessions: readonly SessionId[]): readonly string[] {
    const ended = new Set(sessions)
    return this.#end(({ of }) => ended.has(of.session.id))
  }

  /** The world is no more. */
  leave(world: World): void {
    this.#end(({ of, caller }) => of.world === world || caller.world === world)
  }

  #end(isOver: (token: SessionToken) => boolean): readonly string[] {
    const ended: string[] = []
    for (const [digest, token] of this.#tokens)
      if (isOver(token)) {
        this.#tokens.delete(digest)
        ended.push(token.caller.credentialId)
      }
    return ended
  }
}

/** Whether the session goes on, and its person may still do what the token was issued for. */
export function isUpheld(
  { world, digest }: Pick<SignedIn, 'world' | 'digest'>,
  caller: Caller,
  nowMs: number,
): boolean {
  const session = world.view.sessions.get(digest)
  const person = session && world.view.people.get(session.personId)
  if (!person || person.disabled || session.endsAtMs <= nowMs) return false
  return caller.kind === 'account'
    ? owns(caller.world.view, person.id, caller.accountId)
    : mayOperate(person, session, nowMs)
}

/** An operator's session has the rights of one for a while only. */
export const mayOperate = (
  { operator }: Pick<Person, 'operator'>,
  { operatorUntilMs = 0 }: Pick<BrowserSession, 'operatorUntilMs'>,
  nowMs: number,
): boolean => operator === true && operatorUntilMs > nowMs
