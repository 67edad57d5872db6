import type { AccountRecord, Handlers } from '@quipu/contract'
import {
  type Account,
  type AccountId,
  type BlockKind,
  configOf,
  format,
  formatInstant,
  NO_MONEY,
  type Standing,
  standingOf,
  type Ticker,
  type View,
} from '@quipu/core'
import { accountStatus } from '../../wire/account-status.ts'
import { refuse } from '../../wire/refusal.ts'
import type { World } from '../../world/world.ts'
import type { Context } from '../context.ts'

export const accountHandlers: Handlers<Context, 'getAccount'> = {
  getAccount: async (_, context) => {
    const { world, accountId } = context.account
    const seen = await context.saw(
      world,
      world.read((view) => {
        const account = view.accounts.get(accountId)
        return account && { account, standing: standingIn(world, view, accountId) }
      }),
    )
    if (!seen) throw refuse({ code: 'accountNotFound' })
    return accountToWire(seen.account, seen.standing)
  },
}

/** An account in money, as the market of its world is now. */
export function standingIn({ market, now }: World, view: View, accountId: AccountId): Standing {
  const asset = (symbol: Ticker) => market.assets().get(symbol)
  return standingOf(view, { prices: market.pricesAt(now), asset }, accountId)
}

const NOTHING = '0'
const isBlocked = ({ blocks, review }: Account, kind: BlockKind): boolean =>
  blocks?.[kind] !== undefined || (review !== undefined && kind !== 'account')

export function accountToWire(account: Account, standing: Standing): AccountRecord {
  return {
    id: account.id,
    account_number: account.number,
    status: accountStatus(account),
    crypto_status: accountStatus(account),
    currency: 'USD',
    ...worthToWire(standing),
    last_equity: format(account.lastEquity),
    last_maintenance_margin: format(account.lastMaintenanceMargin),
    bod_dtbp: format(startOfDayPower(account, standing)),
    balance_asof: account.balanceDate,
    sma: format(standing.specialMemorandum),
    accrued_fees: format(standing.accruedFees),
    pending_reg_taf_fees: format(standing.accruedFees),
    pending_transfer_in: NOTHING,
    pending_transfer_out: NOTHING,
    intraday_adjustments: format(adjustedToday(account)),
    shorting_enabled: standing.mayShort,
    trading_blocked: isBlocked(account, 'trading'),
    transfers_blocked: isBlocked(account, 'transfers'),
    account_blocked: isBlocked(account, 'account'),
    trade_suspended_by_user: configOf(account).suspendTrade,
    options_approved_level: 0,
    options_trading_level: 0,
    crypto_tier: 1,
    created_at: formatInstant(account.createdAt),
  }
}

function worthToWire(standing: Standing) {
  const equity = format(standing.equity)
  const buyingPower = format(standing.buyingPower)
  return {
    cash: format(standing.cash),
    equity,
    portfolio_value: equity,
    long_market_value: format(standing.longValue),
    short_market_value: format(standing.shortValue),
    position_market_value: format(standing.longValue + standing.shortValue),
    buying_power: buyingPower,
    effective_buying_power: buyingPower,
    regt_buying_power: format(standing.regTBuyingPower),
    non_marginable_buying_power: format(standing.nonMarginableBuyingPower),
    options_buying_power: format(standing.optionsBuyingPower),
    multiplier: String(standing.multiplier) as AccountRecord['multiplier'],
    initial_margin: format(standing.initialMargin),
    maintenance_margin: format(standing.maintenanceMargin),
  }
}

/** Deposits less withdrawals since the last close. */
const adjustedToday = ({ adjusted, balanceDate }: Account): bigint =>
  adjusted?.since === balanceDate ? adjusted.amount : NO_MONEY

/** What the day began with, where the account has margin at all. */
function startOfDayPower({ lastEquity, lastMaintenanceMargin }: Account, { multiplier }: Standing): bigint {
  const spare = lastEquity - lastMaintenanceMargin
  return multiplier === 1 || spare < NO_MONEY ? NO_MONEY : BigInt(multiplier) * spare
}
