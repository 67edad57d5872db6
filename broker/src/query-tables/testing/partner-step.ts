import type {
  AccountId,
  BookTransfer,
  BookTransferId,
  Command,
  LedgerId,
  Money,
  Quantity,
  Ticker,
  TransitId,
  WorldId,
} from '@quipu/core'

const UNIT = 1_000_000_000n
const LEDGER = 'ledger' as LedgerId

type Random = { up(to: number): number; pick<Item>(items: readonly Item[]): Item }
type Values = {
  readonly accounts: readonly AccountId[]
  readonly tickers: readonly Ticker[]
  readonly texts: readonly string[]
  /** Journals that wait for the response of another world. */
  readonly pending: readonly BookTransferId[]
}

/** A random step of a partner: it moves money or shares, also to and from another world, or sometimes resets an account. */
export function partnerStep({ up, pick }: Random, { accounts, tickers, texts, pending }: Values): Command {
  const [accountId, to, choice] = [pick(accounts), pick(accounts), up(14)]
  const amount = (BigInt(1 + up(500)) * UNIT) as Money
  const [symbol, quantity] = [pick(tickers), (BigInt(1 + up(3)) * UNIT) as Quantity]
  if (choice < 4) {
    const direction = pick(['in', 'out'] as const)
    return { kind: 'transferMoney', accountId, direction, method: 'ach', amount }
  }
  if (choice < 9) {
    const what =
      choice < 6 ? ({ kind: 'cash', amount } as const) : ({ kind: 'shares', symbol, quantity } as const)
    return { kind: 'makeBookTransfer', from: accountId, to, what, description: pick(texts) }
  }
  if (choice < 12) {
    const what = up(2) ? ({ kind: 'cash', amount } as const) : ({ kind: 'shares', symbol, quantity } as const)
    const toWorld = 'other' as WorldId
    return { kind: 'sendBookTransfer', from: accountId, to, toWorld, ledgerId: LEDGER, what }
  }
  if (choice === 12) {
    const what: BookTransfer['what'] = up(2)
      ? { kind: 'cash', amount }
      : { kind: 'shares', symbol, quantity, cost: amount }
    const transitId = `theirs/${up(50)}` as TransitId
    const from = accountId
    const request = { from, to: up(5) ? to : ('nobody' as AccountId), what, transitId, ledgerId: LEDGER }
    return { kind: 'receiveBookTransfer', fromWorld: 'other' as WorldId, ...request }
  }
  if (pending.length > 0) {
    const response = up(3)
      ? ({ ok: true, ledgerId: LEDGER } as const)
      : ({ ok: false, reason: 'no' } as const)
    return { kind: 'answerBookTransfer', bookTransferId: pick(pending), response }
  }
  const cash = (100_000n * UNIT) as Money
  return { kind: 'resetAccount', accountId, cash, positions: [{ symbol, quantity }] }
}
