import assert from 'node:assert/strict'
import type { Leg, Posting } from '@quipu/core'

/** Amounts by name; zero amounts are removed. */
export class Sums {
  readonly #amounts = new Map<string, bigint>()

  add(name: string, amount: bigint): void {
    const sum = this.get(name) + amount
    if (sum === 0n) this.#amounts.delete(name)
    else this.#amounts.set(name, sum)
  }

  get(name: string): bigint {
    return this.#amounts.get(name) ?? 0n
  }

  names(): readonly string[] {
    return [...this.#amounts.keys()]
  }

  list(): readonly (readonly [string, bigint])[] {
    return [...this.#amounts].sort(([a], [b]) => (a < b ? -1 : 1))
  }
}

/** The ledger of the checker, calculated from postings alone. */
export class CheckerLedger {
  readonly #accounts = new Map<string, Sums>()

  of(account: string): Sums {
    let sums = this.#accounts.get(account)
    if (!sums) this.#accounts.set(account, (sums = new Sums()))
    return sums
  }

  post(posting: Posting): void {
    const moved = new Sums()
    for (const { account, asset, amount } of posting) {
      assert.notEqual(amount, 0n, 'a leg moves something')
      this.of(account).add(asset, amount)
      moved.add(asset, amount)
    }
    assert.deepEqual(moved.list(), [], 'a posting balances in every asset')
  }

  /** All accounts that ever had a balance. */
  customers(): readonly string[] {
    const ids = [...this.#accounts.keys()].flatMap((name) => /^customer:(.*):/.exec(name)?.[1] ?? [])
    return [...new Set(ids)]
  }

  /** Cash or shares of a customer, settled or not. */
  owned(accountId: string, asset: string): bigint {
    return (['settled', 'unsettled'] as const)
      .map((settlement) => this.of(`customer:${accountId}:${settlement}`).get(asset))
      .reduce((sum, amount) => sum + amount)
  }

  /** The symbols that a customer holds, without cash. */
  symbolsOf(accountId: string): readonly string[] {
    const names = (['settled', 'unsettled'] as const).flatMap((settlement) =>
      this.of(`customer:${accountId}:${settlement}`).names(),
    )
    return [...new Set(names)].filter((name) => name !== 'USD' && this.owned(accountId, name) !== 0n)
  }

  assertTotalsZero(): void {
    const totals = new Sums()
    for (const sums of this.#accounts.values())
      for (const [asset, amount] of sums.list()) totals.add(asset, amount)
    assert.deepEqual(totals.list(), [])
  }

  assertSameAs(ledger: ReadonlyMap<string, ReadonlyMap<string, bigint>>): void {
    for (const account of new Set([...ledger.keys(), ...this.#accounts.keys()])) {
      const actual = new Sums()
      for (const [asset, amount] of ledger.get(account) ?? []) actual.add(asset, amount)
      assert.deepEqual(actual.list(), this.of(account).list(), account)
    }
  }
}

/** The posting has exactly these movements, in any order and split. */
export function assertMoves(posting: Posting, expected: readonly Leg[]): void {
  const sums = (legs: readonly Leg[]) => {
    const result = new Sums()
    for (const { account, asset, amount } of legs) result.add(`${account} ${asset}`, amount)
    return result.list()
  }
  assert.deepEqual(sums(posting), sums(expected))
}

/** Ledger accounts of a customer. */
export const settled = (accountId: string): string => `customer:${accountId}:settled`
export const unsettled = (accountId: string): string => `customer:${accountId}:unsettled`

/** Moves an amount of an asset from one ledger account to another. */
export const pair = (asset: string, amount: bigint, from: string, to: string): Leg[] =>
  [
    { account: from, asset, amount: -amount },
    { account: to, asset, amount },
  ] as Leg[]
