import { heldMoney, heldShares } from './account/holds.ts'
import { NO_MONEY, NO_QUANTITY } from './amount.ts'
import type { AccountId } from './ids.ts'
import {
  customer,
  type LedgerAsset,
  type Settlement,
  shares,
  supply,
  tokenSymbolOf,
  USD,
} from './ledger/chart.ts'
import { totals } from './ledger/ledger.ts'
import type { View } from './state.ts'
import { holdsShares } from './tokenization/moves.ts'
import type { Issuer } from './tokenization/request.ts'
import { watchlistFaults } from './watchlists/apply.ts'

/**
 * Everything that must agree and does not, in words; nothing when the books are right:
 * the ledger sums to nothing; positions, and what is to settle, are what the ledger says; holds are the sums over
 * open work; nothing is left in a closed account; the shares an issuer keeps are those behind its tokens and those of mints under way;
 * a watchlist has a name of its own and no symbol twice.
 */
export function faultsOf(view: View): readonly string[] {
  const faults = [...totals(view.ledger)]
    .filter(([, sum]) => sum !== 0n)
    .map(([asset, sum]) => `the ledger is off by ${sum} ${asset}`)
  const held = heldByOpenWork(view)
  for (const id of view.accounts.keys())
    faults.push(
      ...positionFaults(view, id),
      ...unsettledFaults(view, id),
      ...holdFaults(view, id, held),
      ...closedFaults(view, id),
    )
  for (const issuer of view.issuers.values()) faults.push(...custodyFaults(view, issuer))
  faults.push(...watchlistFaults(view))
  return faults
}

type Amounts = Map<string, bigint>

function positionFaults(view: View, id: AccountId): string[] {
  const owned: Amounts = new Map()
  for (const settlement of ['settled', 'unsettled'] as const)
    for (const [asset, amount] of view.ledger.get(customer(id, settlement)) ?? [])
      if (asset !== USD) plus(owned, asset, amount)
  const positions: Amounts = new Map()
  for (const { symbol, quantity } of view.positions.get(id)?.values() ?? [])
    plus(positions, shares(symbol), quantity)
  return differences(`positions of ${id}`, positions, owned)
}

function unsettledFaults(view: View, id: AccountId): string[] {
  const due: Amounts = new Map()
  for (const day of view.unsettled.get(id)?.values() ?? []) {
    plus(due, USD, day.cash)
    for (const [symbol, quantity] of day.shares) plus(due, shares(symbol), quantity)
  }
  const unsettled: Settlement = 'unsettled'
  return differences(`what ${id} is to settle`, due, view.ledger.get(customer(id, unsettled)) ?? new Map())
}

function heldByOpenWork(view: View): ReadonlyMap<AccountId, Amounts> {
  const held = new Map<AccountId, Amounts>()
  const of = (id: AccountId): Amounts => {
    let amounts = held.get(id)
    if (!amounts) held.set(id, (amounts = new Map()))
    return amounts
  }
  for (const order of view.orders.values()) {
    plus(of(order.accountId), USD, heldMoney(order))
    plus(of(order.accountId), shares(order.symbol), heldShares(order))
  }
  for (const request of view.requests.values())
    if (holdsShares(request)) plus(of(request.accountId), shares(request.underlying), request.quantity)
  return held
}

function holdFaults(view: View, id: AccountId, held: ReadonlyMap<AccountId, Amounts>): string[] {
  const holds = view.holds.get(id) ?? { money: NO_MONEY, shares: new Map() }
  const kept: Amounts = new Map()
  plus(kept, USD, holds.money)
  for (const [symbol, quantity] of holds.shares) plus(kept, shares(symbol), quantity)
  return differences(`holds of ${id}`, kept, held.get(id) ?? new Map())
}

/** Nothing is left in a closed account. */
function closedFaults(view: View, id: AccountId): string[] {
  if (view.accounts.get(id)?.closedAt === undefined) return []
  const parts = (['settled', 'unsettled'] as const).map((part) => view.ledger.get(customer(id, part)))
  const isEmpty = parts.every((part) => !part?.size) && !view.openOrders.get(id)?.size
  return isEmpty ? [] : [`${id} is closed and not empty`]
}

function custodyFaults(view: View, { code, accountId, listings }: Issuer): string[] {
  const kept: Amounts = new Map()
  const owed: Amounts = new Map()
  const behind = new Map(listings.map(({ tokenSymbol, underlying }) => [tokenSymbol, underlying]))
  for (const symbol of behind.values())
    plus(kept, symbol, view.positions.get(accountId)?.get(symbol)?.quantity ?? NO_QUANTITY)
  for (const [token, amount] of view.ledger.get(supply(code)) ?? []) {
    const symbol = behind.get(tokenSymbolOf(token))
    if (symbol) plus(owed, symbol, -amount)
  }
  for (const { issuer, status, underlying, quantity } of view.requests.values())
    if (issuer === code && (status === 'transferred' || status === 'confirmed'))
      plus(owed, underlying, quantity)
  return differences(`custody of ${code}`, kept, owed)
}

function plus(amounts: Amounts, key: string, amount: bigint): void {
  amounts.set(key, (amounts.get(key) ?? 0n) + amount)
}

function differences(
  what: string,
  told: ReadonlyMap<string, bigint>,
  counted: ReadonlyMap<string | LedgerAsset, bigint>,
): string[] {
  return [...new Set([...told.keys(), ...counted.keys()])]
    .filter((key) => (told.get(key) ?? 0n) !== (counted.get(key) ?? 0n))
    .map((key) => `${what}: ${told.get(key) ?? 0n} ${key} told, ${counted.get(key) ?? 0n} counted`)
}
