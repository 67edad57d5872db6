import assert from 'node:assert/strict'
import {
  type AccountId,
  type Behaviour,
  type BrokerEvent,
  type CivilDate,
  type Command,
  faultsOf,
  type Instant,
  type IssuerCode,
  isPending,
  type Outcome,
  type Ticker,
} from '@quipu/core'
import { openAccount } from '../../server/src/access/issue-keys.ts'
import { simulatedChain } from '../../server/src/chain/simulated.ts'
import { builtinIssuer } from '../../server/src/issuer/builtin.ts'
import { setUpIssuers } from '../../server/src/issuer/set-up.ts'
import type { Journal } from '../../server/src/journal/journal.ts'
import { openMemoryJournal } from '../../server/src/journal/memory.ts'
import { eventOf } from '../../server/src/journal/stored-event.ts'
import { makeRunJob, type RunJob } from '../../server/src/world/jobs.ts'
import { buy, decided, MONDAY, openTestWorld, type TestWorld } from '../../server/src/world/testing/world.ts'
import { Random } from '../random.ts'
import { OwnLedger } from './checker/ledger.ts'
import { OwnTokens } from './checker/token-checks.ts'

export type TokenLife = { readonly seed: string; readonly steps: number }
export type TokensLived = { readonly crashes: number; readonly happened: ReadonlySet<string> }

const SYMBOLS = ['AAPL', 'KO'].map((symbol) => symbol as Ticker)
const NANO = 1_000_000_000n
const behaviour: Behaviour = {
  delayNs: 0n,
  outcome: 'complete',
  wallets: new Map<string, Outcome>([
    ['patient', 'hold'],
    ['late', { lateNs: 5_000n * NANO }],
  ]),
}
const nothing = new Promise<never>(() => undefined)

/** A process: it lives until it dies, and what it still says then is not written down. */
class Mortal {
  readonly #died = Promise.withResolvers<'dead'>()
  isDead = false

  get death(): Promise<'dead'> {
    return this.#died.promise
  }

  die(): Promise<never> {
    this.isDead = true
    this.#died.resolve('dead')
    return nothing
  }

  writing(journal: Journal): Journal {
    return {
      append: (entries) => (this.isDead ? nothing : journal.append(entries)),
      read: (after) => journal.read(after),
      isCurrentHolder: () => journal.isCurrentHolder(),
      head: () => journal.head(),
      hashAt: (seq) => journal.hashAt(seq),
      fork: (at) => journal.fork(at),
      close: async () => undefined,
    }
  }
}

/** Random mints, redeems, forced ends and splits, with an issuer in bad moods and deaths at any point; each step checked. */
export async function simulate({ seed, steps }: TokenLife): Promise<TokensLived> {
  const life = new Life(seed)
  await life.begin()
  for (let step = 0; step < steps; step++) await life.step()
  return life.end()
}

class Life {
  readonly #random: Random
  readonly #seed: string
  readonly #journal = openMemoryJournal()
  readonly #ledger = new OwnLedger()
  readonly #tokens = new OwnTokens(this.#ledger)
  readonly #asked = new Map<string, number>()
  #mortal = new Mortal()
  #stage!: TestWorld
  #now = MONDAY
  #seq = 0
  #at = 0n
  #made = 0
  #crashes = 0

  constructor(seed: string) {
    this.#seed = seed
    this.#random = new Random(seed, 'tokens')
  }

  async begin(): Promise<void> {
    this.#stage = await this.#open(async () => undefined)
    const { world, account, clock } = this.#stage
    const { partnerId } = account
    const other = await openAccount(world, {
      flavour: 'paper',
      partnerId,
      cash: 100_000_000_000_000n as never,
    })
    await setUpIssuers(world, { partnerId, link: [account.id, other.id] })
    for (const issuer of world.view.issuers.keys())
      assert((await decided(world, { kind: 'setBehaviour', issuer, behaviour })).ok)
    for (const one of [account, other])
      for (const symbol of SYMBOLS) assert((await decided(world, buy(one, symbol, '100'))).ok)
    await clock.advance((world.latest + NANO) as Instant)
    await this.#crash()
  }

  async step(): Promise<void> {
    const mortal = this.#mortal
    const over = await Promise.race([this.#act(), mortal.death])
    if (over === 'dead' || mortal.isDead) await this.#crash()
    await this.#check()
  }

  async end(): Promise<TokensLived> {
    await this.#crash()
    await this.#check()
    const { world, failures } = this.#stage
    this.#tokens.assertConserved()
    assert.deepEqual(faultsOf(world.view), [])
    assert.deepEqual(failures, [])
    return { crashes: this.#crashes, happened: new Set(this.#tokens.happened.keys()) }
  }

  #open(runJob: RunJob): Promise<TestWorld> {
    const journal = this.#mortal.writing(this.#journal)
    return openTestWorld({ start: this.#now, journal: async () => journal, parts: { runJob } })
  }

  /** What was not stored is gone, and what was goes on. */
  async #crash(): Promise<void> {
    this.#crashes += 1
    this.#now = (this.#stage.world.latest + NANO) as Instant
    void this.#mortal.die()
    this.#mortal = new Mortal()
    this.#stage = await this.#open(this.#runJob(this.#mortal))
  }

  async #check(): Promise<void> {
    for await (const entries of this.#journal.read(this.#seq))
      for (const entry of entries) {
        this.#seq += 1
        this.#take(eventOf(entry))
      }
  }

  #take(event: BrokerEvent): void {
    if (event.at > this.#at) this.#tokens.assertConserved()
    this.#at = event.at
    if ('posting' in event) this.#ledger.post(event.posting)
    this.#tokens.take(event)
  }

  /** Whom the process calls: each answers, fails, or is the last it hears. What was said once is said again. */
  #runJob(mortal: Mortal): RunJob {
    const chain = simulatedChain()
    const mood = async (what: string, id: string): Promise<'no' | 'yes'> => {
      const times = (this.#asked.get(what + id) ?? 0) + 1
      this.#asked.set(what + id, times)
      const luck = new Random(this.#seed, what, id, times).next()
      if (luck < 0.12) return mortal.die()
      if (luck < 0.25) throw new Error('nobody answers')
      return new Random(this.#seed, what, id).chance(0.12) ? 'no' : 'yes'
    }
    const no = { ok: false, reason: 'not today' } as const
    return makeRunJob({
      chain: {
        ...chain,
        mint: async (mint) => {
          await mood('chain', mint.requestId)
          return chain.mint(mint)
        },
      },
      issuer: {
        ...builtinIssuer(chain),
        mint: async ({ requestId }) =>
          (await mood('mint', requestId)) === 'no' ? no : { ok: true, issuerRequestId: `i-${requestId}` },
        confirm: async ({ requestId }) => ((await mood('confirm', requestId)) === 'no' ? no : { ok: true }),
      },
    })
  }

  async #act(): Promise<'done' | 'dead'> {
    const luck = this.#random.next()
    if (luck < 0.08) return this.#mortal.die()
    if (luck < 0.2) await this.#advance()
    else if (luck < 0.26) await this.#split()
    else {
      const { world } = this.#stage
      const { seq } = world.view
      const decision = await decided(world, this.#wish())
      if (!decision.ok) assert.equal(world.view.seq, seq, 'a refusal changes nothing')
      await world.quiet()
    }
    return 'done'
  }

  #wish(): Command {
    const random = this.#random
    const [luck, requests] = [random.next(), [...this.#stage.world.view.requests.values()]]
    if (luck < 0.45 || requests.length === 0) return this.#mint()
    if (luck < 0.7) return this.#redeem()
    const request = random.pick(requests.filter(isPending).concat(requests))
    if (luck < 0.8)
      return { kind: 'completeMint', requestId: request.id, txHash: random.pick(['0x1', '0x2']) }
    const outcome = random.pick([
      { to: 'hold' },
      { to: 'release' },
      { to: 'reject', reason: 'not today' },
      { to: 'complete', txHash: '0x3' },
    ] as const)
    return { kind: 'forceRequest', requestId: request.id, outcome }
  }

  #mint(): Command {
    return { kind: 'requestMint', accountId: this.#account(), ...this.#what() }
  }

  #redeem(): Command {
    const name = `r${++this.#made}`
    const { issuer, ...what } = this.#what()
    const tokenSymbol = issuer === 'xstocks' ? `${what.underlying}x` : `t${what.underlying}`
    const participant = { accountId: this.#account() }
    const names = { issuerRequestId: name, txHash: name, tokenSymbol }
    return { kind: 'requestRedeem', issuer, participant, ...what, ...names }
  }

  #what() {
    const random = this.#random
    const quantity = random.pick([NANO, 3n * NANO, 12n * NANO, BigInt(random.integer(1, 9_999_999_999))])
    return {
      issuer: random.pick(['xstocks', 'st0x']) as IssuerCode,
      network: random.pick(['base', 'solana']),
      underlying: random.pick(SYMBOLS),
      quantity: quantity as never,
      quantityText: String(quantity),
      wallet: random.pick(['wallet', 'wallet', ...behaviour.wallets.keys()]),
    }
  }

  #account(): AccountId {
    const { accounts, issuers } = this.#stage.world.view
    const kept = new Set([...issuers.values()].map(({ accountId }) => accountId))
    return this.#random.pick([...accounts.keys()].filter((id) => !kept.has(id)))
  }

  async #advance(seconds = this.#random.integer(1, 4_000)): Promise<void> {
    const { world, clock } = this.#stage
    await clock.advance((world.latest + BigInt(seconds) * NANO) as Instant)
  }

  /** Of the next day that may have one; the day comes at once. */
  async #split(): Promise<void> {
    const { world } = this.#stage
    const random = this.#random
    const [newRate, oldRate] = random.pick([
      [2n, 1n],
      [3n, 2n],
      [1n, 4n],
      [7n, 1n],
    ] as const)
    const day = new Date(Number(world.latest / 1_000_000n) + 30 * 3_600_000).toISOString().slice(0, 10)
    const terms = { kind: 'split', newRate: newRate * NANO, oldRate: oldRate * NANO } as const
    const symbol = random.pick(SYMBOLS)
    await decided(world, { kind: 'scheduleAction', symbol, exDate: day as CivilDate, terms })
    await this.#advance(2 * 86_400)
  }
}
