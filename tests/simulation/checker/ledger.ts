import assert from 'node:assert/strict'
import type { BrokerEvent, Leg, Posting } from '@quipu/core'
import { newYorkClock } from './rules.ts'

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

type AccountSettled = Extract<BrokerEvent, { kind: 'accountSettled' }>

/** Pending settlements by account and day, calculated from fills. */
export class CheckerSettlement {
  readonly #due = new Map<string, Sums>()

  of(accountId: string, date: string): Sums {
    const name = `${accountId}/${date}`
    let sums = this.#due.get(name)
    if (!sums) this.#due.set(name, (sums = new Sums()))
    return sums
  }

  /** Everything due on a day settles once, on the morning of a weekday. */
  check({ at, accountId, date, posting }: AccountSettled): void {
    const clock = newYorkClock(at)
    assert(
      clock.date > date || (clock.date === date && clock.minute >= 4 * 60),
      'not before the morning of the date',
    )
    assert(!/^S/.test(newYorkClock(BigInt(Date.parse(`${date}T17:00Z`)) * 1_000_000n).weekday))
    const due = this.#due.get(`${accountId}/${date}`)
    assert(due, 'one posting per account and day')
    const expected = due
      .list()
      .flatMap(([asset, amount]) => pair(asset, amount, unsettled(accountId), settled(accountId)))
    assertMoves(posting, expected)
    this.#due.delete(`${accountId}/${date}`)
  }

  /** Shares of one symbol, by day. */
  shares(accountId: string, symbol: string): readonly (readonly [string, bigint])[] {
    return [...this.#due].flatMap(([name, sums]) => {
      const [owner, date] = name.split('/') as [string, string]
      return owner === accountId && sums.get(symbol) !== 0n ? [[date, sums.get(symbol)] as const] : []
    })
  }

  /** Replaces all pending shares of one symbol with shares of another. */
  replace(accountId: string, date: string, changed: { from: string; to: string; shares: bigint }): void {
    const sums = this.of(accountId, date)
    sums.add(changed.from, -sums.get(changed.from))
    sums.add(changed.to, changed.shares)
  }

  forget(accountId: string): void {
    for (const name of this.#due.keys()) if (name.startsWith(`${accountId}/`)) this.#due.delete(name)
  }
}
