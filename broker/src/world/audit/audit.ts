import {
  apply,
  auditFaults,
  type CustodyBalance,
  custodyBalances,
  emptyState,
  errorMessage,
  forget,
  format,
  imbalances,
  type LedgerView,
  type Posting,
} from '@quipu/core'
import { HashChain, openBytes } from '../../journal/chain.ts'
import type { Entry } from '../../journal/journal.ts'
import { eventOf } from '../../journal/stored-event.ts'
import { TransitList } from './transit-list.ts'
import type { TransitReport } from './transits.ts'

export type AuditReport = {
  readonly sound: boolean
  /** The number of the last event, and the hash over all of them. */
  readonly seq: number
  readonly hash: string
  readonly postings: number
  readonly balances: number
  readonly problems: readonly string[]
  /** The custody of each issuer per share, and the tokens that the custody backs. */
  readonly tokenization: readonly CustodyReport[]
  /** Journals to and from other worlds. */
  readonly transits: readonly TransitReport[]
}

/** Custody in a report: numbers as text. */
export type CustodyReport = {
  readonly issuer: string
  readonly underlying: string
  readonly custody: string
  readonly multiplier: string
  readonly inFlight: string
  readonly tokens: Readonly<Record<string, string>>
}

/** The expected position, hash and ledger. The audit compares the events with these values. */
export type AuditExpectation = {
  readonly seq: number
  readonly hash?: string
  readonly ledger?: LedgerView | undefined
}

type Sums = Map<string, bigint>

/**
 * Adds up every posting without the code of the ledger, replays the events into an empty state, checks the hash chain,
 * and lists every difference.
 */
export async function auditEvents(
  batches: AsyncIterable<readonly Entry[]>,
  expected: AuditExpectation,
): Promise<AuditReport> {
  const audit = new Audit()
  for await (const batch of batches) {
    audit.add(batch.slice(0, expected.seq - audit.seq))
    if (audit.seq >= expected.seq) break
  }
  return audit.report(expected)
}

class Audit {
  readonly #chain = new HashChain()
  readonly #state = emptyState()
  readonly #sums: Sums = new Map()
  readonly #problems: string[] = []
  readonly #transits = new TransitList()
  #postings = 0
  #replays = true

  get seq(): number {
    return this.#chain.seq
  }

  add(entries: readonly Entry[]): void {
    let seq = this.#chain.seq
    this.#chain.update(openBytes(entries), entries.length)
    for (const entry of entries) this.#event(entry, ++seq)
    // The comparison does not use closed orders, and a long journal has many of them.
    forget(this.#state, this.#state.seq)
  }

  report({ seq, hash, ledger }: AuditExpectation): AuditReport {
    const head = this.#chain.position
    const problems = this.#problems
    if (head.seq !== seq) problems.push(`the journal ends with event ${head.seq}, expected ${seq}`)
    if (hash !== undefined && hash !== head.hash) problems.push(`the hash is ${head.hash}, expected ${hash}`)
    if (this.#replays) {
      problems.push(
        ...differences('after replay', this.#state.ledger, this.#sums),
        ...auditFaults(this.#state),
      )
      if (ledger) problems.push(...differences('in memory', ledger, this.#sums))
    }
    const balances = [...this.#sums.values()].filter((sum) => sum !== 0n).length
    const tokenization = custodyBalances(this.#state).map(custodyReport)
    const counts = { postings: this.#postings, balances }
    const transits = this.#transits.reports()
    return { sound: problems.length === 0, ...head, ...counts, problems, tokenization, transits }
  }

  #event(entry: Entry, seq: number): void {
    try {
      const event = eventOf(entry)
      if ('posting' in event) this.#posting(event.posting, seq)
      this.#transits.add(event)
      if (this.#replays) apply(this.#state, event)
    } catch (error) {
      // Later events would only repeat this error. Postings are still added up.
      this.#replays = false
      this.#problems.push(`event ${seq}: ${errorMessage(error)}`)
    }
  }

  #posting(posting: Posting, seq: number): void {
    this.#postings += 1
    const unbalanced = imbalances(posting)
    if (unbalanced.length > 0)
      this.#problems.push(`event ${seq}: the posting does not balance in ${unbalanced}`)
    for (const { account, asset, amount } of posting) {
      const name = `${account} ${asset}`
      this.#sums.set(name, (this.#sums.get(name) ?? 0n) + amount)
    }
  }
}

const custodyReport = (balance: CustodyBalance): CustodyReport => ({
  issuer: balance.issuer,
  underlying: balance.underlying,
  custody: format(balance.custody),
  multiplier: `${balance.multiplier.shares}/${balance.multiplier.tokens}`,
  inFlight: format(balance.inFlight),
  tokens: Object.fromEntries([...balance.tokens].map(([network, amount]) => [network, format(amount)])),
})

function differences(where: string, ledger: LedgerView, sums: Sums): string[] {
  const balances: Sums = new Map()
  for (const [account, holdings] of ledger)
    for (const [asset, amount] of holdings) balances.set(`${account} ${asset}`, amount)
  return [...new Set([...balances.keys(), ...sums.keys()])]
    .filter((name) => (balances.get(name) ?? 0n) !== (sums.get(name) ?? 0n))
    .map((name) => `${name}: ${balances.get(name) ?? 0n} ${where}, ${sums.get(name) ?? 0n} by postings`)
}
