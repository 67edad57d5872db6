import type { AccountId, Command, PartnerId, Ticker } from '@quipu/core'
import type { Random } from '../../support/random.ts'

const NANO = 1_000_000_000n
const CENT = 10_000_000n

export type PartnerRequest = { readonly tag?: string; readonly command: Command }

/** Accounts and symbols for transfers. */
export type PartnerInput = {
  readonly accounts: readonly AccountId[]
  readonly symbols: readonly Ticker[]
  readonly partnerId: PartnerId
}

/** A random deposit, withdrawal, transfer of cash or shares, reset or closing of an account. */
export function randomPartnerRequest(
  random: Random,
  { accounts, symbols, partnerId }: PartnerInput,
  n: number,
): PartnerRequest {
  const tag = `moved${String(n).padStart(6, '0')}`
  const caller = random.chance(0.5)
    ? { partnerId }
    : random.chance(0.1)
      ? { partnerId: 'nobody' as never }
      : {}
  const accountId = random.pick(accounts)
  const amount = (BigInt(random.pick([1, random.integer(1, 50_000), 10_000_000])) * CENT) as never
  const draw = random.next()
  if (draw < 0.4) {
    const direction = random.pick(['in', 'out'] as const)
    return {
      tag,
      command: { kind: 'transferMoney', accountId, direction, method: 'ach', amount, note: tag, ...caller },
    }
  }
  if (draw < 0.8) {
    const between = { from: accountId, to: random.pick(accounts), description: tag, ...caller }
    const quantity = BigInt(random.integer(1, 4_000_000_000)) as never
    const what = random.chance(0.4)
      ? ({ kind: 'cash', amount } as const)
      : ({ kind: 'shares', symbol: random.pick(symbols), quantity } as const)
    return { tag, command: { kind: 'makeBookTransfer', ...between, what } }
  }
  if (draw > 0.97)
    return { command: { kind: 'closeAccount', accountId, empty: random.chance(0.5), ...caller } }
  // A reset has no text, so its unique cash amount identifies it.
  const cash = 3_000_000_000_000n + BigInt(n) * CENT
  const positions = random.chance(0.5)
    ? []
    : [{ symbol: random.pick(symbols), quantity: (3n * NANO) as never }]
  return {
    tag: String(cash),
    command: { kind: 'resetAccount', accountId, cash: cash as never, positions, ...caller },
  }
}
