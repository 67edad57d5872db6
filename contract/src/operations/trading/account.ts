import { operation } from '../../operation.ts'
import {
  anything,
  bool,
  date,
  decimal,
  decimalText,
  integer,
  nullable,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'

export const AccountStatus = oneOf(
  'INACTIVE',
  'PAPER_ONLY',
  'ONBOARDING',
  'SUBMISSION_FAILED',
  'SUBMITTED',
  'ACCOUNT_UPDATED',
  'APPROVAL_PENDING',
  'ACTIVE',
  'REJECTED',
  'ACCOUNT_CLOSED',
  'APPROVED',
  'ACCOUNT_CLOSED_PENDING',
  'ACTION_REQUIRED',
  'LIMITED',
)

export const AccountShape = record({
  id: uuid(),
  account_number: text(),
  status: AccountStatus,
  crypto_status: AccountStatus,
  currency: text(),
  cash: decimalText().about('Rounded to cents. Includes unsettled proceeds of sales.'),
  equity: decimalText().about('Cash plus the market value of all positions.'),
  last_equity: decimalText().about('Equity at the close of the previous trading day.'),
  portfolio_value: decimalText().about('Same as equity.'),
  long_market_value: decimalText(),
  short_market_value: decimalText().about('Zero or negative.'),
  position_market_value: decimalText(),
  buying_power: decimalText(),
  regt_buying_power: decimalText(),
  non_marginable_buying_power: decimalText(),
  options_buying_power: decimalText(),
  effective_buying_power: decimalText(),
  bod_dtbp: decimalText(),
  multiplier: oneOf('1', '2', '4'),
  initial_margin: decimalText(),
  maintenance_margin: decimalText(),
  last_maintenance_margin: decimalText(),
  sma: decimalText(),
  accrued_fees: decimalText(),
  pending_reg_taf_fees: decimalText(),
  pending_transfer_in: optional(decimalText()),
  pending_transfer_out: optional(decimalText()),
  intraday_adjustments: decimalText(),
  balance_asof: date().about('Date of the last_* values.'),
  shorting_enabled: bool(),
  trading_blocked: bool(),
  transfers_blocked: bool(),
  account_blocked: bool(),
  trade_suspended_by_user: bool(),
  options_approved_level: integer({ min: 0, max: 3 }),
  options_trading_level: integer({ min: 0, max: 3 }),
  crypto_tier: integer(),
  created_at: timestamp(),
}).named('Account')

const check = () => oneOf('both', 'entry', 'exit')

export const AccountConfigurations = record({
  dtbp_check: check().about('The rule was removed: always entry.'),
  pdt_check: check().about('The rule was removed: always entry.'),
  fractional_trading: bool().about('Allow fractional and notional orders.'),
  max_margin_multiplier: oneOf('1', '2', '4').about('Maximum margin multiplier. 1: no margin.'),
  no_shorting: bool().about('Refuse short sales.'),
  suspend_trade: bool().about('Refuse new orders.'),
  trade_confirm_email: oneOf('all', 'none'),
  ptp_no_exception_entry: bool(),
  max_options_trading_level: nullable(integer({ min: 0, max: 3 })),
  disable_overnight_trading: bool(),
}).named('AccountConfigurations')

/** Omitted fields and null leave a setting unchanged. */
export const ChangeConfigurations = record({
  dtbp_check: anything().about('Ignored: the rule was removed.'),
  pdt_check: anything().about('Ignored: the rule was removed.'),
  fractional_trading: optional(bool().message('fractional_trading value is invalid')),
  max_margin_multiplier: optional(
    decimal()
      .where((value) => /^[124]$/.test(value), 'one of 1, 2, 4')
      .message('max_margin_multiplier value is invalid'),
  ),
  no_shorting: optional(bool().message('no_shorting value is invalid')),
  suspend_trade: optional(bool().message('suspend_trade value is invalid')),
  trade_confirm_email: optional(oneOf('all', 'none').message('trade_confirm_email value is invalid')),
  ptp_no_exception_entry: optional(bool().message('ptp_no_exception_entry value is invalid')),
  max_options_trading_level: optional(
    integer({ min: 0, max: 3 }).message('max_options_trading_level value is invalid'),
  ),
  disable_overnight_trading: optional(bool().message('disable_overnight_trading value is invalid')),
}).named('ChangeConfigurations')

const read = { family: 'trading', who: ['account'], scope: 'read' } as const
const ofConfigurations = { ...read, output: AccountConfigurations } as const

export const account = {
  getAccount: operation('GET /v2/account', read, {
    summary: 'Get the account: balances, margin and permissions.',
    output: AccountShape,
  }),
  getAccountConfigurations: operation('GET /v2/account/configurations', ofConfigurations, {
    summary: 'Get the configuration of the account.',
  }),
  patchAccountConfigurations: operation('PATCH /v2/account/configurations', ofConfigurations, {
    summary: 'Update the given fields of the configuration. Returns all fields.',
    scope: 'account:write',
    body: ChangeConfigurations,
    errors: ['invalidParameter'],
  }),
}
