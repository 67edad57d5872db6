import assert from 'node:assert/strict'
import {
  type AccountId,
  auditFaults,
  type Behaviour,
  type BrokerEvent,
  type CivilDate,
  type Command,
  type Instant,
  type IssuerCode,
  isPending,
  type Outcome,
  type Ticker,
} from '@quipu/core'
import { openAccount } from '../../broker/src/access/issue-keys.ts'
import { simulatedChain } from '../../broker/src/chain/simulated.ts'
import { builtinIssuer, setUpIssuers } from '../../broker/src/issuer/builtin.ts'
import type { Journal } from '../../broker/src/journal/journal.ts'
import { openMemoryJournal } from '../../broker/src/journal/memory.ts'
import { eventOf } from '../../broker/src/journal/stored-event.ts'
import { makeRunJob, type RunJob } from '../../broker/src/world/jobs.ts'
import { buy, decided, MONDAY, openTestWorld, type TestWorld } from '../../broker/src/world/testing/world.ts'
import { Random } from '../support/random.ts'
import { CheckerLedger } from './checker/ledger.ts'
import { CheckerTokens } from './checker/token-checks.ts'

export type TokenRunOptions = { readonly seed: string; readonly steps: number }
export type TokenRunResult = { readonly crashes: number; readonly eventKinds: ReadonlySet<string> }

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
const never = new Promise<never>(() => undefined)

/** A process; after its end its writes are ignored. */
class SimulatedProcess {
  readonly #end = Promise.withResolvers<'ended'>()
  isEnded = false

  get ended(): Promise<'ended'> {
    return this.#end.promise
  }

  end(): Promise<never> {
    this.isEnded = true
    this.#end.resolve('ended')
    return never
  }

  journalOf(journal: Journal): Journal {
    return {
      append: (entries) => (this.isEnded ? never : journal.append(entries)),
      read: (after) => journal.read(after),
      isCurrentHolder: () => journal.isCurrentHolder(),
      head: () => journal.head(),
      hashAt: (seq) => journal.hashAt(seq),
      fork: (at) => journal.fork(at),
      close: async () => undefined,
    }
  }
}

/** Random mints, redeems, forced outcomes and splits, with an unreliable issuer and crashes; each step is checked. */
export async function simulate({ seed, steps }: TokenRunOptions): Promise<TokenRunResult> {
  const run = new TokenRun(seed)
  await run.begin()
  for (let step = 0; step < steps; step++) await run.step()
  return run.end()
}

class TokenRun {
  readonly #random: Random
  readonly #seed: string
  readonly #journal = openMemoryJournal()
  readonly #ledger = new CheckerLedger()
  readonly #tokens = new CheckerTokens(this.#ledger)
  readonly #calls = new Map<string, number>()
  #process = new SimulatedProcess()
  #testWorld!: TestWorld
  #now = MONDAY
  #seq = 0
  #at = 0n
  #redeems = 0
  #crashes = 0

  constructor(seed: string) {
    this.#seed = seed
    this.#random = new Random(seed, 'tokens')
  }

  async begin(): Promise<void> {
    this.#testWorld = await this.#open(async () => undefined)
    const { world, account, clock } = this.#testWorld
    const { partnerId } = account
    const other = await openAccount(world, {
      flavour: 'paper',
      partnerId,
      cash: 100_000_000_000_000n as never,
    })
    await setUpIssuers(world, { partnerId, link: [account.id, other.id] })
    for (const issuer of world.view.issuers.keys())
      assert((await decided(world, { kind: 'setBehaviour', issuer, behaviour })).ok)
    for (const customer of [account, other])
      for (const symbol of SYMBOLS) assert((await decided(world, buy(customer, symbol, '100'))).ok)
    await clock.advance((world.engine.latest + NANO) as Instant)
    await this.#crash()
  }

  async step(): Promise<void> {
    const process = this.#process
    const result = await Promise.race([this.#act(), process.ended])
    if (result === 'ended' || process.isEnded) await this.#crash()
    await this.#check()
  }

  async end(): Promise<TokenRunResult> {
    await this.#crash()
    await this.#check()
    const { world, failures } = this.#testWorld
    this.#tokens.assertConserved()
    assert.deepEqual(auditFaults(world.view), [])
    assert.deepEqual(failures, [])
    return { crashes: this.#crashes, eventKinds: new Set(this.#tokens.eventKinds.keys()) }
  }

  #open(runJob: RunJob): Promise<TestWorld> {
    const journal = this.#process.journalOf(this.#journal)
    return openTestWorld({ start: this.#now, journal: async () => journal, parts: { runJob } })
  }

  /** Restarts the process: unstored events are lost, stored work continues. */
  async #crash(): Promise<void> {
    this.#crashes += 1
    this.#now = (this.#testWorld.world.engine.latest + NANO) as Instant
    void this.#process.end()
    this.#process = new SimulatedProcess()
    this.#testWorld = await this.#open(this.#runJob(this.#process))
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

  /** Chain and issuer: a call succeeds, fails, or ends the process. A repeated call gets the same decision. */
  #runJob(process: SimulatedProcess): RunJob {
    const chain = simulatedChain()
    const answer = async (call: string, id: string): Promise<'no' | 'yes'> => {
      const times = (this.#calls.get(call + id) ?? 0) + 1
      this.#calls.set(call + id, times)
      const draw = new Random(this.#seed, call, id, times).next()
      if (draw < 0.12) return process.end()
      if (draw < 0.25) throw new Error('no response')
      return new Random(this.#seed, call, id).chance(0.12) ? 'no' : 'yes'
    }
    const no = { ok: false, reason: 'not today' } as const
    return makeRunJob({
      chain: {
        ...chain,
        mint: async (mint) => {
          await answer('chain', mint.requestId)
          return chain.mint(mint)
        },
      },
      issuer: {
        ...builtinIssuer(chain),
        mint: async ({ requestId }) =>
          (await answer('mint', requestId)) === 'no' ? no : { ok: true, issuerRequestId: `i-${requestId}` },
        confirm: async ({ requestId }) => ((await answer('confirm', requestId)) === 'no' ? no : { ok: true }),
      },
    })
  }

  async #act(): Promise<'done' | 'ended'> {
    const draw = this.#random.next()
    if (draw < 0.08) return this.#process.end()
    if (draw < 0.2) await this.#advance()
    else if (draw < 0.26) await this.#split()
    else {
      const { world } = this.#testWorld
      const { seq } = world.view
      const decision = await decided(world, this.#randomCommand())
      if (!decision.ok) assert.equal(world.view.seq, seq, 'a refusal changes nothing')
      await world.commands.quiet()
    }
    return 'done'
  }

  #randomCommand(): Command {
    const random = this.#random
    const [draw, requests] = [random.next(), [...this.#testWorld.world.view.requests.values()]]
    if (draw < 0.45 || requests.length === 0) return this.#mint()
    if (draw < 0.7) return this.#redeem()
    const request = random.pick(requests.filter(isPending).concat(requests))
    if (draw < 0.8)
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
    return { kind: 'requestMint', accountId: this.#account(), ...this.#terms() }
  }

  #redeem(): Command {
    const name = `r${++this.#redeems}`
    const { issuer, ...terms } = this.#terms()
    const tokenSymbol = issuer === 'xstocks' ? `${terms.underlying}x` : `t${terms.underlying}`
    const participant = { accountId: this.#account() }
    const names = { issuerRequestId: name, txHash: name, tokenSymbol }
    return { kind: 'requestRedeem', issuer, participant, ...terms, ...names }
  }

  #terms() {
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
    const { accounts, issuers } = this.#testWorld.world.view
    const custody = new Set([...issuers.values()].map(({ accountId }) => accountId))
    return this.#random.pick([...accounts.keys()].filter((id) => !custody.has(id)))
  }

  async #advance(seconds = this.#random.integer(1, 4_000)): Promise<void> {
    const { world, clock } = this.#testWorld
    await clock.advance((world.engine.latest + BigInt(seconds) * NANO) as Instant)
  }

  /** Schedules a split for the next possible day and advances past it. */
  async #split(): Promise<void> {
    const { world } = this.#testWorld
    const random = this.#random
    const [newRate, oldRate] = random.pick([
      [2n, 1n],
      [3n, 2n],
      [1n, 4n],
      [7n, 1n],
    ] as const)
    const day = new Date(Number(world.engine.latest / 1_000_000n) + 30 * 3_600_000).toISOString().slice(0, 10)
    const terms = { kind: 'split', newRate: newRate * NANO, oldRate: oldRate * NANO } as const
    const symbol = random.pick(SYMBOLS)
    await decided(world, { kind: 'scheduleAction', symbol, exDate: day as CivilDate, terms })
    await this.#advance(2 * 86_400)
  }
}
