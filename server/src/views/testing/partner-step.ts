import type { AccountId, Command, Money, Quantity, Ticker } from '@quipu/core'

const UNIT = 1_000_000_000n

type Random = { up(to: number): number; pick<Item>(items: readonly Item[]): Item }
type Values = {
  readonly accounts: readonly AccountId[]
  readonly tickers: readonly Ticker[]
  readonly texts: readonly string[]
}

/** A random step of a partner: it moves money or shares, or sometimes resets an account. */
export function partnerStep({ up, pick }: Random, { accounts, tickers, texts }: Values): Command {
  const [accountId, to, choice] = [pick(accounts), pick(accounts), up(10)]
  const amount = (BigInt(1 + up(500)) * UNIT) as Money
  const [symbol, quantity] = [pick(tickers), (BigInt(1 + up(3)) * UNIT) as Quantity]
  // Rarely repeated, and uses no random number.
  const key = `${choice}-${accountId}-${to}-${amount}-${symbol}-${quantity}`
  const keyed = choice % 2 === 0 ? {} : { idempotency: { key, bodyHash: 'b' } }
  if (choice < 4) {
    const direction = pick(['in', 'out'] as const)
    return { kind: 'transferMoney', accountId, direction, method: 'ach', amount, ...keyed }
  }
  if (choice < 9) {
    const what =
      choice < 6 ? ({ kind: 'cash', amount } as const) : ({ kind: 'shares', symbol, quantity } as const)
    return { kind: 'journalBetween', from: accountId, to, what, description: pick(texts), ...keyed }
  }
  const cash = (100_000n * UNIT) as Money
  return { kind: 'resetAccount', accountId, cash, positions: [{ symbol, quantity }] }
}
