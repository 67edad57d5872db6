import { clientIdOf, nameKey, type UserId } from '@quipu/core'
import type { World } from '../world/world.ts'
import type { Caller } from './caller.ts'
import { digestOf } from './credentials.ts'
import { RateLimiter } from './rate-limits.ts'

/** The owner of the secret, by the name that was sent: a limit does not show whether that name exists. */
export type Subject =
  | { readonly kind: 'app'; readonly clientId: string }
  | { readonly kind: 'machine'; readonly keyId: string }
  /** A key whose secret a person chose. */
  | { readonly kind: 'key'; readonly keyId: string }
  | { readonly kind: 'user'; readonly world: World; readonly name: string }
  /** The second factor of a user. Nobody gets here without the password, so no name that a stranger enters counts. */
  | { readonly kind: 'factor'; readonly world: World; readonly userId: UserId }

/** Maximum number of failed attempts; 0 is no limit. All but the first are per five minutes. */
export type FailedAttemptLimits = {
  /** Per minute, from one address, for any secret. */
  readonly failedAttemptsMax: number
  /** For one app or machine: from one address, and from all together. For a chosen key: from one address. */
  readonly appFailedAttemptsMax: number
  readonly appFailedAttemptsTotalMax: number
  /** For one user: from one address, and from all together. Second factors have the same limits and separate counts. */
  readonly userFailedAttemptsMax: number
  readonly userFailedAttemptsTotalMax: number
}

/** A limit was reached. */
export type Trip = { readonly address: string; readonly subject?: Subject }

/**
 * Counts failed attempts, on the machine's clock, by three limits:
 *   an address               for any secret
 *   a subject at an address
 *   a subject                from all addresses together
 * The effect of a limit depends on the origin of the secret:
 *   Quipu    at least 120 random bits: the right secret always passes; wrong ones beyond a limit must wait
 *   a person right ones beyond the limit must wait too, or the limit would not slow guessing; a browser that signed in
 *            before has a separate limit, so that nobody else can make its owner wait
 * Right secrets and requests without a secret are not counted. The memory of each limit is bounded.
 */
export type FailedAttempts = {
  /** Seconds to wait before a secret that a person chose is checked; 0 if there is no need to wait. */
  waitSeconds(address: string, subject?: Subject, browser?: string): number
  /**
   * Starts to check a secret. A password takes long to check, so the attempt counts as wrong until it is right: parallel
   * attempts all count. `browser` is the digest of the cookie that a browser got when it signed in.
   */
  begin(address: string, subject?: Subject, browser?: string): SignInAttempt
  /** Counts a failed attempt. Returns the seconds to wait, or 0 within the limits. */
  wrong(address: string, subject?: Subject): number
  /** Remembers that this user signed in with this browser. */
  remember(subject: Subject, browser: string): void
  /** Whether this user signed in with this browser before. */
  isKnown(subject: Subject, browser: string | undefined): boolean
}

/** One attempt. The code that started it reports the result. */
export type SignInAttempt = {
  right(): void
  /** Returns the seconds to wait, or 0 within the limits. */
  wrong(): number
}

export const ATTEMPT_WINDOW_MS = 300_000
/** Maximum number of remembered browsers; the oldest are dropped first. */
const BROWSERS_MAX = 10_000
/** Longer names are stored as a digest. */
const NAME_MAX = 128

export const noFailedAttemptLimits: FailedAttemptLimits = {
  failedAttemptsMax: 0,
  appFailedAttemptsMax: 0,
  appFailedAttemptsTotalMax: 0,
  userFailedAttemptsMax: 0,
  userFailedAttemptsTotalMax: 0,
}

export function limitFailedAttempts(
  limits: Partial<FailedAttemptLimits>,
  tripped: (trip: Trip) => void = () => undefined,
  now: () => number = Date.now,
): FailedAttempts {
  return new Limits({ ...noFailedAttemptLimits, ...limits }, tripped, now)
}

type Kind = Subject['kind']
type Limiter = RateLimiter | undefined
/** A limiter and the name that it counts. */
type Count = readonly [Limiter, string]

class Limits implements FailedAttempts {
  readonly #addresses: Limiter
  /** Per subject at one address, and per subject. */
  readonly #perAddress: Record<Kind, Limiter>
  readonly #total: Record<Kind, Limiter>
  /** The user who signed in with a browser. */
  readonly #browsers = new Map<string, string>()
  readonly #tripped: (trip: Trip) => void

  constructor(limits: FailedAttemptLimits, tripped: (trip: Trip) => void, now: () => number) {
    const limiter = (most: number, windowMs?: number): Limiter =>
      most === 0 ? undefined : new RateLimiter(most, now, windowMs)
    const {
      failedAttemptsMax,
      appFailedAttemptsMax,
      appFailedAttemptsTotalMax,
      userFailedAttemptsMax,
      userFailedAttemptsTotalMax,
    } = limits
    const near = (most: number) => limiter(most, ATTEMPT_WINDOW_MS)
    this.#addresses = limiter(failedAttemptsMax)
    this.#perAddress = {
      app: near(appFailedAttemptsMax),
      machine: near(appFailedAttemptsMax),
      key: near(appFailedAttemptsMax),
      user: near(userFailedAttemptsMax),
      factor: near(userFailedAttemptsMax),
    }
    this.#total = {
      app: near(appFailedAttemptsTotalMax),
      machine: near(appFailedAttemptsTotalMax),
      // A limit over all addresses would let attackers lock out the owner.
      key: undefined,
      user: near(userFailedAttemptsTotalMax),
      factor: near(userFailedAttemptsTotalMax),
    }
    this.#tripped = tripped
  }

  waitSeconds(address: string, subject?: Subject, browser?: string): number {
    // Usually there are no failed attempts at all.
    if (!subject && (!this.#addresses || this.#addresses.isEmpty)) return 0
    return waitOf(this.#counts(address, subject, browser))
  }

  wrong(address: string, subject?: Subject): number {
    return this.begin(address, subject).wrong()
  }

  begin(address: string, subject?: Subject, browser?: string): SignInAttempt {
    const counts = this.#counts(address, subject, browser)
    if (subject?.kind !== 'user' && subject?.kind !== 'factor')
      return {
        right: () => undefined,
        wrong: () => waitOf(counts) || this.#report(address, subject, counts.filter(takeLast)),
      }
    const last = counts.filter(takeLast)
    return {
      right: () => {
        for (const [limiter, name] of counts) limiter?.refund(name)
      },
      wrong: () => this.#report(address, subject, last),
    }
  }

  remember(subject: Subject, browser: string): void {
    const [oldest] = this.#browsers.size < BROWSERS_MAX ? [] : this.#browsers.keys()
    if (oldest !== undefined) this.#browsers.delete(oldest)
    this.#browsers.set(browser, nameOf(subject))
  }

  isKnown(subject: Subject, browser: string | undefined): boolean {
    return browser !== undefined && this.#browsers.get(browser) === nameOf(subject)
  }

  /** Each limit that an attempt counts against. */
  #counts(address: string, subject?: Subject, browser?: string): readonly Count[] {
    const network = networkOf(address)
    const any: Count = [this.#addresses, network]
    if (!subject) return [any]
    const name = nameOf(subject)
    if (this.isKnown(subject, browser))
      return [[this.#perAddress[subject.kind], `${name} browser ${browser}`]]
    return [any, [this.#perAddress[subject.kind], `${name} ${network}`], [this.#total[subject.kind], name]]
  }

  /** Reports the limits that this attempt reached: the limit of the address, and the limits of the subject once. */
  #report(address: string, subject: Subject | undefined, last: readonly Count[]): number {
    if (last.some(([limiter]) => limiter === this.#addresses)) this.#tripped({ address })
    if (subject && last.some(([limiter]) => limiter !== this.#addresses)) this.#tripped({ address, subject })
    return 0
  }
}

/** A caller, or the reason for none: wrong credentials, or too many wrong attempts. */
export type FoundAttempts = { readonly caller?: Caller; readonly waitSeconds: number }

/** Looks up a credential and counts a failure. `chosenKey` is the id of a key whose secret a person chose. */
export function findCaller(
  failedAttempts: FailedAttempts,
  address: string,
  chosenKey: string | undefined,
  find: () => Caller | undefined,
): FoundAttempts {
  const subject = chosenKey === undefined ? undefined : ({ kind: 'key', keyId: chosenKey } as const)
  const mustWait = subject ? failedAttempts.waitSeconds(address, subject) : 0
  if (mustWait > 0) return { waitSeconds: mustWait }
  const caller = find()
  return caller ? { caller, waitSeconds: 0 } : { waitSeconds: failedAttempts.wrong(address, subject) }
}

const waitOf = (counts: readonly Count[]): number =>
  Math.max(...counts.map(([limiter, name]) => limiter?.waitSeconds(name) ?? 0))

/** Takes one token, and returns whether it was the last. */
function takeLast([limiter, name]: Count): boolean {
  if (!limiter?.take(name).allowed) return false
  return limiter.waitSeconds(name) > 0
}

/** The name that a subject is counted under. */
export function nameOf(subject: Subject): string {
  switch (subject.kind) {
    case 'app':
      return short(clientIdOf(subject.clientId))
    case 'machine':
    case 'key':
      return short(subject.keyId)
    case 'user':
      return `${subject.world.id} ${short(nameKey(subject.name))}`
    case 'factor':
      return `${subject.world.id} ${subject.userId}`
  }
}

const short = (name: string): string => (name.length > NAME_MAX ? digestOf(name) : name)

/** An IPv6 client usually controls a whole /64 network, so addresses are counted per /64. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return mapped[1] ?? address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const rest = tail === undefined ? [] : tail.split(':').filter((group) => group !== '')
  while (groups.length + rest.length < 8) groups.push('0')
  return `${[...groups, ...rest].slice(0, 4).join(':')}::/64`
}
