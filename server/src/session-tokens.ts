import type { Digest, SessionId } from '@quipu/core'
import type { Caller } from './credentials.ts'

type SessionToken = { readonly sessionId: SessionId; readonly caller: Caller; readonly endsAtMs: number }

/** How long a page may use one before it asks for the next. */
export const SESSION_TOKEN_MS = 300_000
/** So many are kept; the oldest go first. */
const MOST = 10_000

/**
 * Tokens for the pages of people who have signed in. They last minutes and are got again for nothing, so they are kept
 * in memory alone: a restart ends them, and the session gets new ones.
 */
export class SessionTokens {
  /** All live equally long: the oldest stand first. */
  readonly #tokens = new Map<Digest, SessionToken>()

  issue(digest: Digest, sessionId: SessionId, caller: Caller, nowMs: number): void {
    for (const [old, { endsAtMs }] of this.#tokens) {
      if (endsAtMs > nowMs && this.#tokens.size < MOST) break
      this.#tokens.delete(old)
    }
    this.#tokens.set(digest, { sessionId, caller, endsAtMs: nowMs + SESSION_TOKEN_MS })
  }

  caller(digest: Digest, nowMs: number): Caller | undefined {
    const token = this.#tokens.get(digest)
    return token && token.endsAtMs > nowMs ? token.caller : undefined
  }

  /** Whoever signs out leaves nothing behind. Yields the credentials that ended. */
  endOf(sessions: readonly SessionId[]): readonly string[] {
    const ended: string[] = []
    for (const [digest, { sessionId, caller }] of this.#tokens)
      if (sessions.includes(sessionId)) {
        this.#tokens.delete(digest)
        ended.push(caller.credentialId)
      }
    return ended
  }
}
