import {
  apply,
  type CustodyStanding,
  custodyStandings,
  emptyState,
  faultsOf,
  forget,
  format,
  imbalances,
  type LedgerView,
  type Posting,
} from '@quipu/core'
import { Chain, openLines } from '../journal/chain.ts'
import type { Entry } from '../journal/journal.ts'
import { eventOf } from '../journal/stored-event.ts'

export type AuditReport = {
  readonly sound: boolean
  /** The number of the last event, and the hash over all of them. */
  readonly seq: number
  readonly hash: string
  readonly postings: number
  readonly balances: number
  readonly problems: readonly string[]
  /** What each issuer keeps of each share, and the tokens it is for. */
  readonly tokenization: readonly CustodyTold[]
}

/** As it is told: numbers as text. */
export type CustodyTold = {
  readonly issuer: string
  readonly underlying_symbol: string
  readonly custody: string
  readonly multiplier: string
  readonly in_flight: string
  readonly tokens: Readonly<Record<string, string>>
}

/** What is claimed about the events up to a number, to be held against what they themselves say. */
export type Claimed = { readonly seq: number; readonly hash?: string; readonly ledger?: LedgerView }

type Sums = Map<string, bigint>

/**
 * Adds up every posting anew, without the ledger's own code, plays the events into an empty state, follows the chain
 * of hashes, and lists whatever does not agree.
 */
export async function auditEvents(
  batches: AsyncIterable<readonly Entry[]>,
  claimed: Claimed,
): Promise<AuditReport> {
  const audit = new Audit()
  for await (const batch of batches) {
    audit.take(batch.slice(0, claimed.seq - audit.seq))
    if (audit.seq >= claimed.seq) break
  }
  return audit.report(claimed)
}

class Audit {
  readonly #chain = new Chain()
  readonly #state = emptyState()
  readonly #sums: Sums = new Map()
  readonly #problems: string[] = []
  #postings = 0
  #replays = true

  get seq(): number {
    return this.#chain.seq
  }

  take(entries: readonly Entry[]): void {
    let seq = this.#chain.seq
    this.#chain.update(openLines(entries), entries.length)
    for (const entry of entries) this.#event(entry, ++seq)
    // Ended work plays no part in what is compared, and a long journal has much of it.
    forget(this.#state, this.#state.seq)
  }

  report({ seq, hash, ledger }: Claimed): AuditReport {
    const head = this.#chain.position
    const problems = this.#problems
    if (head.seq !== seq) problems.push(`the journal ends with event ${head.seq}, expected ${seq}`)
    if (hash !== undefined && hash !== head.hash) problems.push(`the hash is ${head.hash}, expected ${hash}`)
    if (this.#replays) {
      problems.push(...differences('after replay', this.#state.ledger, this.#sums), ...faultsOf(this.#state))
      if (ledger) problems.push(...differences('in memory', ledger, this.#sums))
    }
    const balances = [...this.#sums.values()].filter((sum) => sum !== 0n).length
    const tokenization = custodyStandings(this.#state).map(custodyTold)
    const counts = { postings: this.#postings, balances }
    return { sound: problems.length === 0, ...head, ...counts, problems, tokenization }
  }

  #event(entry: Entry, seq: number): void {
    try {
      const event = eventOf(entry)
      if ('posting' in event) this.#posting(event.posting, seq)
      if (this.#replays) apply(this.#state, event)
    } catch (error) {
      // What follows would only repeat this one; postings are still added up.
      this.#replays = false
      this.#problems.push(`event ${seq}: ${(error as Error).message}`)
    }
  }

  #posting(posting: Posting, seq: number): void {
    this.#postings += 1
    const lopsided = imbalances(posting)
    if (lopsided.length > 0) this.#problems.push(`event ${seq}: its posting does not balance in ${lopsided}`)
    for (const { account, asset, amount } of posting) {
      const name = `${account} ${asset}`
      this.#sums.set(name, (this.#sums.get(name) ?? 0n) + amount)
    }
  }
}

const custodyTold = (standing: CustodyStanding): CustodyTold => ({
  issuer: standing.issuer,
  underlying_symbol: standing.underlying,
  custody: format(standing.custody),
  multiplier: `${standing.multiplier.shares}/${standing.multiplier.tokens}`,
  in_flight: format(standing.inFlight),
  tokens: Object.fromEntries([...standing.tokens].map(([network, amount]) => [network, format(amount)])),
})

function differences(where: string, ledger: LedgerView, sums: Sums): string[] {
  const told: Sums = new Map()
  for (const [account, holdings] of ledger)
    for (const [asset, amount] of holdings) told.set(`${account} ${asset}`, amount)
  return [...new Set([...told.keys(), ...sums.keys()])]
    .filter((name) => (told.get(name) ?? 0n) !== (sums.get(name) ?? 0n))
    .map((name) => `${name}: ${told.get(name) ?? 0n} ${where}, ${sums.get(name) ?? 0n} by postings`)
}
