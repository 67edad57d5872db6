import { Sums } from './books.ts'

/** What is to settle, by account and day, kept from fills. */
export class OwnSettling {
  readonly #due = new Map<string, Sums>()

  of(accountId: string, date: string): Sums {
    const name = `${accountId}/${date}`
    let sums = this.#due.get(name)
    if (!sums) this.#due.set(name, (sums = new Sums()))
    return sums
  }

  /** False where nothing was to settle. */
  settle(accountId: string, date: string): boolean {
    return this.#due.delete(`${accountId}/${date}`)
  }

  /** Shares of one symbol, by day. */
  shares(accountId: string, symbol: string): readonly (readonly [string, bigint])[] {
    return [...this.#due].flatMap(([name, sums]) => {
      const [whose, date] = name.split('/') as [string, string]
      return whose === accountId && sums.get(symbol) !== 0n ? [[date, sums.get(symbol)] as const] : []
    })
  }

  /** So many of another symbol instead of all of one. */
  instead(accountId: string, date: string, changed: { from: string; to: string; shares: bigint }): void {
    const sums = this.of(accountId, date)
    sums.add(changed.from, -sums.get(changed.from))
    sums.add(changed.to, changed.shares)
  }

  forget(accountId: string): void {
    for (const name of this.#due.keys()) if (name.startsWith(`${accountId}/`)) this.#due.delete(name)
  }
}
