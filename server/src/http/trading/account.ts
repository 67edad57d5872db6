import type { World } from '@quipu/broker/world/world.ts'
import type { AccountConfigurationsRecord, AccountRecord, ChangeConfigurationsRecord } from '@quipu/contract'
import {
  type Account,
  type AccountBalances,
  type AccountConfig,
  type AccountId,
  type BlockKind,
  balancesOf,
  configOf,
  definedFields,
  format,
  formatInstant,
  NO_MONEY,
  type Ticker,
  type View,
} from '@quipu/core'
import { accountStatus } from '../../wire/account-status.ts'
import { refuse } from '../../wire/refusal.ts'
import type { SomeHandlers } from '../context.ts'

export const accountHandlers = {
  getAccount: async (_, context) => {
    const { world, accountId } = context.account
    const found = await context.state.read(world, (view) => {
      const account = view.accounts.get(accountId)
      return account && { account, balances: currentBalances(world, view, accountId) }
    })
    if (!found) throw refuse({ code: 'accountNotFound' })
    return accountToWire(found.account, found.balances)
  },

  getAccountConfigurations: async (_, context) => {
    const { world, accountId } = context.account
    return configToWire(await context.state.read(world, (view) => view.accounts.get(accountId)))
  },

  patchAccountConfigurations: async ({ body }, context) => {
    const { world, accountId } = context.account
    const command = { kind: 'changeConfig', accountId, changes: changesIn(body) } as const
    const account = await context.state.execute(world, command, (view) => view.accounts.get(accountId))
    return configToWire(account)
  },
} satisfies SomeHandlers

/** Balances and buying power of an account at current prices. */
export function currentBalances(
  { market, engine }: World,
  view: View,
  accountId: AccountId,
  at = engine.now,
): AccountBalances {
  const asset = (symbol: Ticker) => market.assets().get(symbol)
  return balancesOf(view, { prices: market.pricesAt(at), asset }, accountId)
}

const NOTHING = '0'
const isBlocked = ({ blocks, review }: Account, kind: BlockKind): boolean =>
  blocks?.[kind] !== undefined || (review !== undefined && kind !== 'account')

export function accountToWire(account: Account, balances: AccountBalances): AccountRecord {
  return {
    id: account.id,
    account_number: account.number,
    status: accountStatus(account),
    crypto_status: accountStatus(account),
    currency: 'USD',
    ...worthToWire(balances),
    last_equity: format(account.lastEquity),
    last_maintenance_margin: format(account.lastMaintenanceMargin),
    bod_dtbp: format(startOfDayPower(account, balances)),
    balance_asof: account.balanceDate,
    sma: format(balances.specialMemorandum),
    accrued_fees: format(balances.accruedFees),
    pending_reg_taf_fees: format(balances.accruedFees),
    pending_transfer_in: NOTHING,
    pending_transfer_out: NOTHING,
    intraday_adjustments: format(adjustedToday(account)),
    shorting_enabled: balances.mayShort,
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

function worthToWire(balances: AccountBalances) {
  const equity = format(balances.equity)
  const buyingPower = format(balances.buyingPower)
  return {
    cash: format(balances.cash),
    equity,
    portfolio_value: equity,
    long_market_value: format(balances.longValue),
    short_market_value: format(balances.shortValue),
    position_market_value: format(balances.longValue + balances.shortValue),
    buying_power: buyingPower,
    effective_buying_power: buyingPower,
    regt_buying_power: format(balances.regTBuyingPower),
    non_marginable_buying_power: format(balances.nonMarginableBuyingPower),
    options_buying_power: format(balances.optionsBuyingPower),
    multiplier: String(balances.multiplier) as AccountRecord['multiplier'],
    initial_margin: format(balances.initialMargin),
    maintenance_margin: format(balances.maintenanceMargin),
  }
}

/** Deposits less withdrawals since the last close. */
const adjustedToday = ({ adjusted, balanceDate }: Account): bigint =>
  adjusted?.since === balanceDate ? adjusted.amount : NO_MONEY

/** The day-trading buying power at the start of the day; zero without margin. */
function startOfDayPower(
  { lastEquity, lastMaintenanceMargin }: Account,
  { multiplier }: AccountBalances,
): bigint {
  const spare = lastEquity - lastMaintenanceMargin
  return multiplier === 1 || spare < NO_MONEY ? NO_MONEY : BigInt(multiplier) * spare
}

/** The contract checks dtbp_check and pdt_check; the rule behind them was abolished, so they change nothing. */
function changesIn(body: ChangeConfigurationsRecord): Partial<AccountConfig> {
  const { max_margin_multiplier: multiplier, max_options_trading_level: level } = body
  return definedFields({
    fractionalTrading: body.fractional_trading,
    maxMarginMultiplier: multiplier === undefined ? undefined : (Number(multiplier) as 1 | 2 | 4),
    noShorting: body.no_shorting,
    suspendTrade: body.suspend_trade,
    tradeConfirmEmail: body.trade_confirm_email,
    ptpNoExceptionEntry: body.ptp_no_exception_entry,
    maxOptionsTradingLevel: level as 0 | 1 | 2 | 3 | undefined,
    disableOvernightTrading: body.disable_overnight_trading,
  })
}

function configToWire(account: Account | undefined): AccountConfigurationsRecord {
  if (!account) throw refuse({ code: 'accountNotFound' })
  const config = configOf(account)
  return {
    dtbp_check: 'entry',
    pdt_check: 'entry',
    fractional_trading: config.fractionalTrading,
    max_margin_multiplier: `${config.maxMarginMultiplier}`,
    no_shorting: config.noShorting,
    suspend_trade: config.suspendTrade,
    trade_confirm_email: config.tradeConfirmEmail,
    ptp_no_exception_entry: config.ptpNoExceptionEntry,
    max_options_trading_level: config.maxOptionsTradingLevel ?? null,
    disable_overnight_trading: config.disableOvernightTrading,
  }
}
