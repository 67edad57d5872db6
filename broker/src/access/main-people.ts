import {
  type BrowserSession,
  type Grant,
  hasFactor,
  signInEpochOf,
  type User,
  type UserId,
  type View,
} from '@quipu/core'
import { NotApplied } from '../journal/not-applied.ts'
import type { World } from '../world/world.ts'

/**
 * Names a person of `main` in a copy of `main`. A user whom another world created may have the same id, but not the same
 * time: the clock of `main` is the real one.
 */
export type UserRef = Pick<User, 'id' | 'createdAt'>

/** What other worlds need to know about a person in `main`. */
export type MainUser = {
  readonly epoch: number
  readonly isDisabled: boolean
  readonly isAuditor: boolean
  readonly hasFactor: boolean
}

/** Asks the node that holds `main`. Undefined for each person who is not in `main`, or was deleted there. */
export type AskPeople = (refs: readonly UserRef[]) => Promise<readonly (MainUser | undefined)[]>

/** Where people of `main` are found: in `main`, if this process has it, or at another node. */
export type PeopleSource = {
  readonly main: () => World | undefined
  readonly ask: () => AskPeople | undefined
}

/** A node without `main` asks again for people in use at this interval. */
const ASK_MS = 1_000
/** A response is valid for this long. Then a session is neither accepted nor ended: the request gets 503. */
const VALID_MS = 2_500
/** People without a session in use are forgotten after this time. Longer than any session token is valid. */
const UNUSED_MS = 600_000

type Known = {
  readonly ref: UserRef
  readonly person: MainUser | undefined
  readonly askedMs: number
  usedMs: number
}

/** The user of `main` that a user of another world is a copy of. */
export function userIn(view: View, { id, createdAt }: UserRef): User | undefined {
  const user = view.users.get(id)
  return user?.createdAt === createdAt ? user : undefined
}

export function mainUserIn(view: View, ref: UserRef): MainUser | undefined {
  const user = userIn(view, ref)
  if (!user) return undefined
  return {
    epoch: signInEpochOf(user),
    isDisabled: user.disabled === true,
    isAuditor: user.auditor === true,
    hasFactor: hasFactor(user),
  }
}

const ownerOf = ({ users }: View, { userId }: Grant): User | undefined => userId && users.get(userId)

/** A connection whose person cannot be checked now stays open, and its requests get 503. */
export function unlessUnknown(isValid: () => boolean): boolean {
  try {
    return isValid()
  } catch (error) {
    if (error instanceof NotApplied) return true
    throw error
  }
}

/**
 * The people of `main`, as other worlds see them. Where `main` is a world of this process, its state answers. A node of
 * a cluster without `main` asks the node that holds it, and again every second for people whose sessions are in use.
 */
export class MainPeople {
  readonly #source: PeopleSource
  readonly #known = new Map<UserId, Known>()
  #timer: NodeJS.Timeout | undefined

  constructor(source: PeopleSource) {
    this.#source = source
  }

  /** The person at this moment. Fails with NotApplied while `main` does not answer. */
  async find(ref: UserRef): Promise<MainUser | undefined> {
    const main = this.#source.main()
    if (main) return (await main.engine.read((view) => mainUserIn(view, ref))).value
    await this.#refresh([ref])
    return this.#known.get(ref.id)?.person
  }

  /** Before `isCurrent`, when a person in `main` has a session here: asks again if the last response is too old. */
  async prepare(user: UserRef): Promise<void> {
    if (this.#source.main()) return
    const known = this.#known.get(user.id)
    if (!known || performance.now() - known.askedMs > ASK_MS) await this.#refresh([user])
  }

  /** Whether the person of this session still exists in `main` and has not lost all sessions since it began. */
  isCurrent(user: UserRef, { mainEpoch }: Pick<BrowserSession, 'mainEpoch'>): boolean {
    if (mainEpoch === undefined) return true
    const person = this.#person(user)
    return person !== undefined && !person.isDisabled && person.epoch === mainEpoch
  }

  /**
   * Whether the person who gave a grant is still there. A person of `main` who allowed an app in another world must be
   * neither deleted nor disabled in `main`.
   */
  allows(view: View, grant: Grant): boolean {
    if (!grant.ofMain) return true
    const user = ownerOf(view, grant)
    const person = user && this.#person(user)
    return person !== undefined && !person.isDisabled
  }

  /** Before `allows`: asks if the last response is too old. */
  async prepareGrant(view: View, grant: Grant): Promise<void> {
    const user = grant.ofMain ? ownerOf(view, grant) : undefined
    if (user) await this.prepare(user)
  }

  /** Whether the user of this session has a second factor: the user of this world, or the person of `main`. */
  hasFactor(user: User, { mainEpoch }: Pick<BrowserSession, 'mainEpoch'>): boolean {
    return hasFactor(user) || (mainEpoch !== undefined && this.#person(user)?.hasFactor === true)
  }

  /** Whether the user of this session is an auditor. In another world than `main`, a person of `main` is one there too. */
  isAuditor(user: User, { mainEpoch }: Pick<BrowserSession, 'mainEpoch'>): boolean {
    return user.auditor === true || (mainEpoch !== undefined && this.#person(user)?.isAuditor === true)
  }

  /** Whether an auditor gave the grant: its tokens change nothing. */
  isOfAuditor({ view, access }: World, grant: Grant): boolean {
    const user = ownerOf(view, grant)
    if (!user) return false
    return grant.ofMain
      ? this.#person(user)?.isAuditor === true
      : access.hasOperators && user.auditor === true
  }

  #person(ref: UserRef): MainUser | undefined {
    const main = this.#source.main()
    if (main) return mainUserIn(main.view, ref)
    const known = this.#known.get(ref.id)
    if (known) known.usedMs = performance.now()
    if (known && performance.now() - known.askedMs <= VALID_MS) return known.person
    // A stream does not wait for the response: the client connects again.
    void this.#refresh([ref]).catch(() => undefined)
    throw new NotApplied('worldRestarting')
  }

  async #refresh(refs: readonly UserRef[]): Promise<void> {
    const ask = this.#source.ask()
    if (!ask) throw new NotApplied('worldRestarting')
    const askedMs = performance.now()
    const people = await ask(refs)
    for (const [index, ref] of refs.entries()) {
      const usedMs = this.#known.get(ref.id)?.usedMs ?? askedMs
      this.#known.set(ref.id, { ref, person: people[index], askedMs, usedMs })
    }
    this.#timer ??= setInterval(() => this.#refreshUsed(), ASK_MS).unref()
  }

  #refreshUsed(): void {
    const nowMs = performance.now()
    for (const [id, { usedMs }] of this.#known) if (nowMs - usedMs > UNUSED_MS) this.#known.delete(id)
    if (this.#known.size > 0 && !this.#source.main())
      return void this.#refresh([...this.#known.values()].map(({ ref }) => ref)).catch(() => undefined)
    this.#known.clear()
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
