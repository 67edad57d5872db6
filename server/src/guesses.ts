import { clientIdOf, nameKey } from '@quipu/core'
import { digestOf } from './credentials.ts'
import { RateLimiter } from './http/limits.ts'
import type { World } from './world.ts'

/** Whose secret is guessed at, by the name that was typed: a limit tells nobody who exists. */
export type Subject =
  | { readonly kind: 'app'; readonly clientId: string }
  | { readonly kind: 'person'; readonly world: World; readonly name: string }
  | { readonly kind: 'machine'; readonly keyId: string }

/** How many wrong ones are listened to; 0 is no limit. All but the first in five minutes. */
export type GuessLimits = {
  /** A minute, from one address, whatever is guessed at. */
  readonly guessesMax: number
  /** For one app or machine: from one address, and from all together. */
  readonly appGuessesMax: number
  readonly appGuessesTotalMax: number
  /** For one person, likewise. */
  readonly personGuessesMax: number
  readonly personGuessesTotalMax: number
}

/** A limit was reached. */
export type Trip = { readonly address: string; readonly subject?: Subject }

/**
 * How often wrong credentials are looked at. Three limits, each on the machine's clock:
 *   an address               whatever it guesses at
 *   a subject at an address  so that who guesses waits, and not whom it guesses at
 *   a subject                for guesses from many addresses; one where the right secret was given before need not wait
 * Right ones cost nothing, and none at all are no guess. The memory of each is bounded.
 */
export type Guesses = {
  /** The seconds before credentials are looked at again; 0 when there is no need to wait. */
  waitSeconds(address: string, subject?: Subject): number
  /**
   * Begins to look at credentials. A person's password takes long to look at, so it counts as wrong until it is right:
   * many at once are as many guesses.
   */
  begin(address: string, subject?: Subject): Attempt
  wrong(address: string): void
}

/** One attempt to say a secret. Whoever began it says how it ended. */
export type Attempt = { right(): void; wrong(): void }

export const GUESS_WINDOW_MS = 300_000
/** Addresses that gave the right secret; the oldest go first. */
const TRUSTED_MAX = 10_000
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

class Limits implements Guesses {
  readonly #addresses: Limiter
  /** Of a subject at one address, and of the subject. */
  readonly #near: Record<Kind, Limiter>
  readonly #total: Record<Kind, Limiter>
  readonly #trusted = new Set<string>()
  readonly #tripped: (trip: Trip) => void

  constructor(limits: GuessLimits, tripped: (trip: Trip) => void, now: () => number) {
    const limiter = (most: number, windowMs?: number): Limiter =>
      most === 0 ? undefined : new RateLimiter(most, now, windowMs)
    const byKind = (app: number, person: number) => ({
      app: limiter(app, GUESS_WINDOW_MS),
      machine: limiter(app, GUESS_WINDOW_MS),
      person: limiter(person, GUESS_WINDOW_MS),
    })
    this.#addresses = limiter(limits.guessesMax)
    this.#near = byKind(limits.appGuessesMax, limits.personGuessesMax)
    this.#total = byKind(limits.appGuessesTotalMax, limits.personGuessesTotalMax)
    this.#tripped = tripped
  }

  waitSeconds(address: string, subject?: Subject): number {
    // Mostly nobody has guessed at all.
    if (!subject && (!this.#addresses || this.#addresses.isEmpty)) return 0
    const network = networkOf(address)
    const wait = this.#addresses?.waitSeconds(network) ?? 0
    if (!subject) return wait
    const { kind } = subject
    const name = nameOf(subject)
    const at = `${name} ${network}`
    const near = this.#near[kind]?.waitSeconds(at) ?? 0
    const total = this.#trusted.has(at) ? 0 : (this.#total[kind]?.waitSeconds(name) ?? 0)
    return Math.max(wait, near, total)
  }

  wrong(address: string): void {
    this.begin(address).wrong()
  }

  begin(address: string, subject?: Subject): Attempt {
    if (subject?.kind !== 'person')
      return {
        right: () => subject && this.#trust(address, subject),
        wrong: () => this.#tell(this.#count(address, subject)),
      }
    const trips = this.#count(address, subject)
    return {
      right: () => {
        this.#forgive(address, subject)
        this.#trust(address, subject)
      },
      wrong: () => this.#tell(trips),
    }
  }

  #tell(trips: readonly Trip[]): void {
    for (const trip of trips) this.#tripped(trip)
  }

  #count(address: string, subject?: Subject): readonly Trip[] {
    const network = networkOf(address)
    const trips: Trip[] = isLast(this.#addresses, network) ? [{ address }] : []
    if (!subject) return trips
    const name = nameOf(subject)
    const isNearLast = isLast(this.#near[subject.kind], `${name} ${network}`)
    const isTotalLast = isLast(this.#total[subject.kind], name)
    if (isNearLast || isTotalLast) trips.push({ address, subject })
    return trips
  }

  #trust(address: string, subject: Subject): void {
    const at = `${nameOf(subject)} ${networkOf(address)}`
    if (this.#trusted.has(at)) return
    const [oldest] = this.#trusted.size < TRUSTED_MAX ? [] : this.#trusted
    if (oldest !== undefined) this.#trusted.delete(oldest)
    this.#trusted.add(at)
  }

  #forgive(address: string, subject: Subject): void {
    const network = networkOf(address)
    const name = nameOf(subject)
    this.#addresses?.giveBack(network)
    this.#near[subject.kind]?.giveBack(`${name} ${network}`)
    this.#total[subject.kind]?.giveBack(name)
  }
}

/** Takes one, and says whether that was the last there was. */
function isLast(limiter: Limiter, id: string): boolean {
  if (!limiter?.take(id).allowed) return false
  return limiter.waitSeconds(id) > 0
}

/** What it is counted under. */
export function nameOf(subject: Subject): string {
  switch (subject.kind) {
    case 'app':
      return short(clientIdOf(subject.clientId))
    case 'machine':
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
