import type { AccountId, Brand, Ticker, TransitId } from '../ids.ts'

/**
 * The chart of accounts. Every movement runs between two of these accounts: a customer's cash and shares
 * (unsettled until the settlement date, then settled), the street (the counterparty of every fill), the bank
 * (deposits and withdrawals), fees, margin interest, an issuer's custody, the supply of a token with its holders, and
 * book transfers to and from other worlds.
 */
export type LedgerAccount = Brand<string, 'LedgerAccount'>
/** `USD`, a symbol, or a token on a network. */
export type LedgerAsset = Brand<string, 'LedgerAsset'>
const asset = (name: string): LedgerAsset => name as LedgerAsset
const account = (name: string): LedgerAccount => name as LedgerAccount

export type Settlement = 'settled' | 'unsettled'

export const USD = asset('USD')
export const shares = (symbol: Ticker): LedgerAsset => asset(symbol)
export const tokens = (tokenSymbol: string, network: string): LedgerAsset =>
  asset(`${tokenSymbol}@${network}`)
export const tokenSymbolOf = (token: LedgerAsset): string => token.slice(0, token.lastIndexOf('@'))
export const ledgerNetwork = (token: LedgerAsset): string => token.slice(token.lastIndexOf('@') + 1)

/** Cached, because each order needs these names several times and building them is expensive. */
export function customer(id: AccountId, settlement: Settlement): LedgerAccount {
  let names = customers.get(id)
  if (!names) {
    if (customers.size >= CUSTOMERS_KEPT) customers.clear()
    const named = (part: Settlement) => account(`customer:${id}:${part}`)
    customers.set(id, (names = { settled: named('settled'), unsettled: named('unsettled') }))
  }
  return settlement === 'settled' ? names.settled : names.unsettled
}

/** The customer of a ledger account, if it is a customer's. */
export function customerOf(account: LedgerAccount): AccountId | undefined {
  return account.startsWith('customer:')
    ? (account.slice(9, account.lastIndexOf(':')) as AccountId)
    : undefined
}

const customers = new Map<AccountId, Readonly<Record<Settlement, LedgerAccount>>>()
const CUSTOMERS_KEPT = 10_000

export const STREET = account('street')
export const BANK = account('bank')
export const FEES = account('fees')
export const INTEREST = account('interest')
/** The counterparty of corporate actions. */
export const CORPORATE = account('corporate')
export const supply = (issuer: string): LedgerAccount => account(`supply:${issuer}`)
export const WALLETS = account('wallets')
/** What a book transfer to another world has taken from its sender, until the other world has answered. */
export const transit = (id: TransitId): LedgerAccount => account(`transit:${id}`)
/** The sum of all executed book transfers to other worlds, less those from them. Over all worlds it is zero. */
export const TRANSIT = account('transit')
/** The book transfer of a `transit` account, if the account is one. */
export const transitOf = (account: LedgerAccount): TransitId | undefined =>
  account.startsWith('transit:') ? (account.slice(8) as TransitId) : undefined
