import assert from 'node:assert/strict'
import type { BrokerEvent } from '@quipu/core'
import { assertMoves, pair, Sums, settled, unsettled } from './ledger.ts'
import { newYorkClock } from './rules.ts'

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
