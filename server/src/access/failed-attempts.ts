import { clientIdOf, nameKey } from '@quipu/core'
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
  | { readonly kind: 'person'; readonly world: World; readonly name: string }

/** How many failed attempts are accepted; 0 is no limit. All but the first in five minutes. */
export type GuessLimits = {
  /** A minute, from one address, for any secret. */
  readonly guessesMax: number
  /** For one app or machine: from one address, and from all together. For a chosen key: from one address. */
  readonly appGuessesMax: number
  readonly appGuessesTotalMax: number
  /** For one person: from one address, and from all together. */
  readonly personGuessesMax: number
  readonly personGuessesTotalMax: number
}

/** A limit was reached. */
export type Trip = { readonly address: string; readonly subject?: Subject }

/**
 * Counts failed attempts, on the machine's clock, by three limits:
 *   an address               whatever it tries
 *   a subject at an address
 *   a subject                from all addresses together
 * What a limit does depends on who made the secret:
 *   Quipu    at least 160 random bits: the right secret always passes, wrong ones beyond a limit are told to wait
 *   a person within the limits of the name, right ones must wait too, or the limit would not slow guessing; a browser
 *            that signed in before has a limit of its own, so that nobody else can make its owner wait
 * Right secrets are not counted, and neither are requests without one. The memory of each limit is bounded.
 */
export type Guesses = {
  /** The seconds before a secret that a person chose is looked at; 0 when there is no need to wait. */
  waitSeconds(address: string, subject?: Subject, browser?: string): number
  /**
   * Begins to look at a secret. A password takes long to check, so it counts as wrong until it is right: many at once are
   * as many attempts. `browser` is the digest of the cookie that a browser got when it signed in.
   */
  begin(address: string, subject?: Subject, browser?: string): Attempt
  /** Counts a failed attempt; the seconds to wait, or 0 within the limits. */
  wrong(address: string, subject?: Subject): number
  /** Remembers that this person signed in with this browser. */
  remember(subject: Subject, browser: string): void
}

/** One attempt to show a secret. The code that began it reports how it ended. */
export type Attempt = {
  right(): void
  /** The seconds to wait, or 0 within the limits. */
  wrong(): number
}

export const GUESS_WINDOW_MS = 300_000
/** Browsers that signed in; the oldest are forgotten first. */
const BROWSERS_MAX = 10_000
/** Of longer names a digest is kept. */
const NAME_MAX = 128

export const noGuessLimits: GuessLimits = {
  guessesMax: 0,
  appGuessesMax: 0,
  appGuessesTotalMax: 0,
  personGuessesMax: 0,
  personGuessesTotalMax: 0,
}

export function limitGuesses(
  limits: Partial<GuessLimits>,
  tripped: (trip: Trip) => void = () => undefined,
  now: () => number = Date.now,
): Guesses {
  return new Limits({ ...noGuessLimits, ...limits }, tripped, now)
}

type Kind = Subject['kind']
type Limiter = RateLimiter | undefined
/** One limiter and the name that it counts under. */
type Count = readonly [Limiter, string]

class Limits implements Guesses {
  readonly #addresses: Limiter
  /** Of a subject at one address, and of the subject. */
  readonly #near: Record<Kind, Limiter>
  readonly #total: Record<Kind, Limiter>
  /** The person who signed in with a browser. */
  readonly #browsers = new Map<string, string>()
  readonly #tripped: (trip: Trip) => void

  constructor(limits: GuessLimits, tripped: (trip: Trip) => void, now: () => number) {
    const limiter = (most: number, windowMs?: number): Limiter =>
      most === 0 ? undefined : new RateLimiter(most, now, windowMs)
    const { guessesMax, appGuessesMax, appGuessesTotalMax, personGuessesMax, personGuessesTotalMax } = limits
    const near = (most: number) => limiter(most, GUESS_WINDOW_MS)
    this.#addresses = limiter(guessesMax)
    this.#near = {
      app: near(appGuessesMax),
      machine: near(appGuessesMax),
      key: near(appGuessesMax),
      person: near(personGuessesMax),
    }
    this.#total = {
      app: near(appGuessesTotalMax),
      machine: near(appGuessesTotalMax),
      // A limit from all addresses would let strangers lock its owner out.
      key: undefined,
      person: near(personGuessesTotalMax),
    }
    this.#tripped = tripped
  }

  waitSeconds(address: string, subject?: Subject, browser?: string): number {
    // Mostly there are no failed attempts at all.
    if (!subject && (!this.#addresses || this.#addresses.isEmpty)) return 0
    return waitOf(this.#counts(address, subject, browser))
  }

  wrong(address: string, subject?: Subject): number {
    return this.begin(address, subject).wrong()
  }

  begin(address: string, subject?: Subject, browser?: string): Attempt {
    const counts = this.#counts(address, subject, browser)
    if (subject?.kind !== 'person')
      return {
        right: () => undefined,
        wrong: () => waitOf(counts) || this.#report(address, subject, counts.filter(takeLast)),
      }
    const last = counts.filter(takeLast)
    return {
      right: () => {
        for (const [limiter, name] of counts) limiter?.giveBack(name)
      },
      wrong: () => this.#report(address, subject, last),
    }
  }

  remember(subject: Subject, browser: string): void {
    const [oldest] = this.#browsers.size < BROWSERS_MAX ? [] : this.#browsers.keys()
    if (oldest !== undefined) this.#browsers.delete(oldest)
    this.#browsers.set(browser, nameOf(subject))
  }

  /** Each limit that an attempt counts against. */
  #counts(address: string, subject?: Subject, browser?: string): readonly Count[] {
    const network = networkOf(address)
    const any: Count = [this.#addresses, network]
    if (!subject) return [any]
    const name = nameOf(subject)
    if (browser !== undefined && this.#browsers.get(browser) === name)
      return [[this.#near[subject.kind], `${name} browser ${browser}`]]
    return [any, [this.#near[subject.kind], `${name} ${network}`], [this.#total[subject.kind], name]]
  }

  /** Reports the limits that this attempt reached: that of the address, and those of the subject once. */
  #report(address: string, subject: Subject | undefined, last: readonly Count[]): number {
    if (last.some(([limiter]) => limiter === this.#addresses)) this.#tripped({ address })
    if (subject && last.some(([limiter]) => limiter !== this.#addresses)) this.#tripped({ address, subject })
    return 0
  }
}

/** A caller, or why there is none: wrong credentials, or wrong ones too often. */
export type Found = { readonly caller?: Caller; readonly waitSeconds: number }

/** Looks a credential up, and counts it where it is wrong. `chosenKey` is the id of a key whose secret a person chose. */
export function findCaller(
  guesses: Guesses,
  address: string,
  chosenKey: string | undefined,
  find: () => Caller | undefined,
): Found {
  const subject = chosenKey === undefined ? undefined : ({ kind: 'key', keyId: chosenKey } as const)
  const mustWait = subject ? guesses.waitSeconds(address, subject) : 0
  if (mustWait > 0) return { waitSeconds: mustWait }
  const caller = find()
  return caller ? { caller, waitSeconds: 0 } : { waitSeconds: guesses.wrong(address, subject) }
}

const waitOf = (counts: readonly Count[]): number =>
  Math.max(...counts.map(([limiter, name]) => limiter?.waitSeconds(name) ?? 0))

/** Takes one, and says whether that was the last there was. */
function takeLast([limiter, name]: Count): boolean {
  if (!limiter?.take(name).allowed) return false
  return limiter.waitSeconds(name) > 0
}

/** What it is counted under. */
export function nameOf(subject: Subject): string {
  switch (subject.kind) {
    case 'app':
      return short(clientIdOf(subject.clientId))
    case 'machine':
    case 'key':
      return short(subject.keyId)
    case 'person':
      return `${subject.world.id} ${short(nameKey(subject.name))}`
  }
}

const short = (name: string): string => (name.length > NAME_MAX ? digestOf(name) : name)

/** Whoever has an address of the sixth version has a whole network of them. */
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
