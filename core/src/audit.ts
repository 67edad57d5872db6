import type { Lots } from './account/account.ts'
import { heldMoney, heldShares } from './account/holds.ts'
import { keyFaults } from './account/keys.ts'
import { marginFaults } from './account/margin-calls/apply.ts'
import { transitFaults } from './account/partner/pending-book-transfers.ts'
import { NO_MONEY } from './amount.ts'
import type { AccountId } from './ids.ts'
import { customer, type LedgerAsset, type Settlement, shares, USD } from './ledger/chart.ts'
import { totals } from './ledger/ledger.ts'
import { oauthFaults } from './oauth/faults.ts'
import { selfTradeFaults, waitingFaults } from './orders/faults.ts'
import { hasOpenOrders } from './orders/open-orders.ts'
import type { View } from './state/state.ts'
import { custodyFaults } from './tokenization/custody.ts'
import { holdsShares } from './tokenization/moves.ts'
import { userFaults } from './users/apply.ts'
import { watchlistFaults } from './watchlists/apply.ts'

/**
 * Checks the invariants of a world, and returns each violation as text:
 *   ledger        sums to zero per asset; positions and unsettled amounts match it
 *   positions     have one sign; holds do not exceed them
 *   holds         are the sums over open orders and requests
 *   orders        the indexes of open orders match the orders
 *   fees          belong to existing accounts, as do interest and margin calls
 *   closed        accounts are empty
 *   custody       equals the shares behind tokens plus pending mints
 *   transit       accounts have exactly what pending book transfers to other worlds move
 *   watchlists    have unique names and no duplicate symbols
 *   users, apps, consents and keys: see their own files
 */
export function auditFaults(view: View): readonly string[] {
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
  faults.push(...feeFaults(view), ...marginFaults(view), ...selfTradeFaults(view), ...waitingFaults(view))
  for (const issuer of view.issuers.values()) faults.push(...custodyFaults(view, issuer))
  faults.push(
    ...watchlistFaults(view),
    ...userFaults(view),
    ...oauthFaults(view),
    ...keyFaults(view),
    ...transitFaults(view),
  )
  return faults
}

type Amounts = Map<string, bigint>

function positionFaults(view: View, id: AccountId): string[] {
  const owned: Amounts = new Map()
  for (const settlement of ['settled', 'unsettled'] as const)
    for (const [asset, amount] of view.ledger.get(customer(id, settlement)) ?? [])
      if (asset !== USD) addAmount(owned, asset, amount)
  const positions: Amounts = new Map()
  for (const { symbol, quantity } of view.positions.get(id)?.values() ?? [])
    addAmount(positions, shares(symbol), quantity)
  return [...differences(`positions of ${id}`, positions, owned), ...shapeFaults(view, id)]
}

/** Quantity, cost and the part opened today have the same sign. Holds do not exceed the position. */
function shapeFaults(view: View, id: AccountId): string[] {
  const held = view.holds.get(id)?.shares
  return [...(view.positions.get(id)?.values() ?? [])].flatMap(
    ({ symbol, quantity, costBasis, today, lots }) => {
      const sign = quantity < 0n ? -1n : 1n
      const size = sign * quantity
      const openedToday = sign * (today?.quantity ?? 0n)
      const name = `position of ${id} in ${symbol}`
      return [
        ...(size === 0n ? [`${name}: quantity is zero`] : []),
        ...(sign * costBasis < 0n ? [`${name}: ${quantity} for ${costBasis}`] : []),
        ...(openedToday < 0n || openedToday > size
          ? [`${name}: ${openedToday} of ${size} opened today`]
          : []),
        ...(lots && sumOf(lots) !== quantity ? [`${name}: lots of ${sumOf(lots)} for ${quantity}`] : []),
        ...((held?.get(symbol) ?? 0n) > size ? [`${name}: more than ${size} is held`] : []),
      ]
    },
  )
}

const sumOf = ({ held, bought, sold }: Lots): bigint =>
  held.reduce((sum, { quantity }) => sum + quantity, bought - sold)

/** Accrued fees belong to an existing account and are not negative. */
const feeFaults = (view: View): string[] =>
  [...view.fees].flatMap(([id, { sec, taf, cat }]) =>
    view.accounts.has(id) && sec >= 0n && taf >= 0n && cat >= 0n
      ? []
      : [`fees of ${id}: ${sec} SEC, ${taf} TAF, ${cat} CAT`],
  )

function unsettledFaults(view: View, id: AccountId): string[] {
  const due: Amounts = new Map()
  for (const day of view.unsettled.get(id)?.values() ?? []) {
    addAmount(due, USD, day.cash)
    for (const [symbol, quantity] of day.shares) addAmount(due, shares(symbol), quantity)
  }
  const unsettled: Settlement = 'unsettled'
  return differences(`unsettled amounts of ${id}`, due, view.ledger.get(customer(id, unsettled)) ?? new Map())
}

function heldByOpenWork(view: View): ReadonlyMap<AccountId, Amounts> {
  const held = new Map<AccountId, Amounts>()
  const amountsOf = (id: AccountId): Amounts => {
    let amounts = held.get(id)
    if (!amounts) held.set(id, (amounts = new Map()))
    return amounts
  }
  for (const order of view.orders.values()) {
    addAmount(amountsOf(order.accountId), USD, heldMoney(order))
    addAmount(amountsOf(order.accountId), shares(order.symbol), heldShares(order))
  }
  for (const request of view.requests.values())
    if (holdsShares(request)) {
      const accountId =
        request.kind === 'redeem' ? (request.custodyId ?? request.accountId) : request.accountId
      addAmount(amountsOf(accountId), shares(request.underlying), request.quantity)
    }
  return held
}

function holdFaults(view: View, id: AccountId, held: ReadonlyMap<AccountId, Amounts>): string[] {
  const holds = view.holds.get(id) ?? { money: NO_MONEY, shares: new Map() }
  const recorded: Amounts = new Map()
  addAmount(recorded, USD, holds.money)
  for (const [symbol, quantity] of holds.shares) addAmount(recorded, shares(symbol), quantity)
  return differences(`holds of ${id}`, recorded, held.get(id) ?? new Map())
}

/** A closed account is empty. */
function closedFaults(view: View, id: AccountId): string[] {
  if (view.accounts.get(id)?.closedAt === undefined) return []
  const parts = (['settled', 'unsettled'] as const).map((part) => view.ledger.get(customer(id, part)))
  const isEmpty = parts.every((part) => !part?.size) && !hasOpenOrders(view, id)
  return isEmpty ? [] : [`${id} is closed and not empty`]
}

function addAmount(amounts: Amounts, key: string, amount: bigint): void {
  amounts.set(key, (amounts.get(key) ?? 0n) + amount)
}

function differences(
  name: string,
  recorded: ReadonlyMap<string, bigint>,
  calculated: ReadonlyMap<string | LedgerAsset, bigint>,
): string[] {
  return [...new Set([...recorded.keys(), ...calculated.keys()])]
    .filter((key) => (recorded.get(key) ?? 0n) !== (calculated.get(key) ?? 0n))
    .map(
      (key) => `${name}: ${recorded.get(key) ?? 0n} ${key} recorded, ${calculated.get(key) ?? 0n} calculated`,
    )
}
