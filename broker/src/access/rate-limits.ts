/** The state of a rate limit. `headers` belong on the response. */
export type Allowance = { readonly allowed: boolean; readonly headers: readonly string[] }

type Bucket = { tokens: number; atMs: number }

const MINUTE_MS = 60_000
/** Maximum number of buckets. */
const BUCKETS_MAX = 10_000
/** Minimum time between two scans of all buckets, so that a client with many names cannot cause constant scans. */
const SWEEP_MS = 1000

/** Sent when there is no limit: clients that pace themselves by the headers never wait. */
const UNLIMITED = 1_000_000_000

/** The headers of a response that is not counted. A limit of 0 means no limit. */
export function uncountedHeaders(limit: number, nowMs: number = Date.now()): readonly string[] {
  const all = String(limit === 0 ? UNLIMITED : limit)
  return rateHeaders(all, all, nowMs)
}

/** The limit of the original service, for responses that need one although there is no limit. */
const USUAL_LIMIT = 200

/** The headers of a refused request, as if the limit were used up. */
export const usedUpHeaders = (limit: number, waitSeconds: number): readonly string[] => [
  ...rateHeaders(String(limit || USUAL_LIMIT), '0', Date.now() + waitSeconds * 1000),
  'Retry-After',
  String(waitSeconds),
]

const rateHeaders = (limit: string, remaining: string, resetMs: number): string[] => [
  'X-RateLimit-Limit',
  limit,
  'X-RateLimit-Remaining',
  remaining,
  'X-RateLimit-Reset',
  String(Math.ceil(resetMs / 1000)),
]

/** A token bucket per credential: holds the tokens of one window (a minute by default) and refills steadily. */
export class RateLimiter {
  readonly #limit: number
  readonly #windowMs: number
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()
  #sweptMs = Number.NEGATIVE_INFINITY

  /** `now` is the machine's time in milliseconds since 1970: the clock of a world does not affect limits. */
  constructor(limit: number, now: () => number = Date.now, windowMs = MINUTE_MS) {
    this.#limit = limit
    this.#windowMs = windowMs
    this.#now = now
  }

  /** Takes tokens if at least one is left, even if these are more: then the bucket owes the rest. */
  take(credentialId: string, tokens = 1): Allowance {
    const nowMs = this.#now()
    const bucket = this.#bucket(credentialId, nowMs)
    bucket.tokens = this.#tokensAt(bucket, nowMs)
    bucket.atMs = nowMs
    const allowed = bucket.tokens >= 1
    if (allowed) bucket.tokens -= tokens
    return { allowed, headers: this.#headers(bucket, nowMs, allowed) }
  }

  /** Returns a token that was taken. */
  refund(credentialId: string): void {
    const bucket = this.#buckets.get(credentialId)
    if (bucket) bucket.tokens = Math.min(this.#limit, bucket.tokens + 1)
  }

  /** No bucket exists. */
  get isEmpty(): boolean {
    return this.#buckets.size === 0
  }

  /** Seconds to wait if no token is left; takes none. */
  waitSeconds(credentialId: string): number {
    const bucket = this.#buckets.get(credentialId)
    const tokens = bucket ? this.#tokensAt(bucket, this.#now()) : this.#limit
    return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * this.#windowMs) / this.#limit / 1000)
  }

  #bucket(credentialId: string, nowMs: number): Bucket {
    const known = this.#buckets.get(credentialId)
    if (known) return known
    if (this.#buckets.size >= BUCKETS_MAX) this.#evict(nowMs)
    const fresh = { tokens: this.#limit, atMs: nowMs }
    this.#buckets.set(credentialId, fresh)
    return fresh
  }

  #tokensAt({ tokens, atMs }: Bucket, nowMs: number): number {
    // The machine's clock may be set back; the bucket does not refill until it catches up.
    const passedMs = Math.max(0, nowMs - atMs)
    return Math.min(this.#limit, tokens + (passedMs * this.#limit) / this.#windowMs)
  }

  /** Removes full buckets. If there are none, removes the oldest bucket. */
  #evict(nowMs: number): void {
    if (Math.abs(nowMs - this.#sweptMs) >= SWEEP_MS) {
      this.#sweptMs = nowMs
      for (const [id, bucket] of this.#buckets)
        if (this.#tokensAt(bucket, nowMs) >= this.#limit) this.#buckets.delete(id)
    }
    const [oldest] = this.#buckets.keys()
    if (oldest !== undefined && this.#buckets.size >= BUCKETS_MAX) this.#buckets.delete(oldest)
  }

  #headers({ tokens }: Bucket, nowMs: number, allowed: boolean): readonly string[] {
    const msPerToken = this.#windowMs / this.#limit
    const fullMs = nowMs + (this.#limit - tokens) * msPerToken
    const headers = rateHeaders(String(this.#limit), String(Math.floor(tokens)), fullMs)
    if (!allowed) headers.push('Retry-After', String(Math.ceil(((1 - tokens) * msPerToken) / 1000)))
    return headers
  }
}
