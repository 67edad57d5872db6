import { boolean, oneOf, optional, record, type ValueOf } from '../schema.ts'

/** Settings that the account's owner chooses. */
export const accountConfigSchema = record({
  /** Fractional quantities and notional orders. */
  fractionalTrading: boolean(),
  /** Maximum margin multiplier; 1 means no margin. */
  maxMarginMultiplier: oneOf(1, 2, 4),
  noShorting: boolean(),
  /** Reject new orders. */
  suspendTrade: boolean(),
  tradeConfirmEmail: oneOf('all', 'none'),
  ptpNoExceptionEntry: boolean(),
  /** Absent: the level that the account is approved for. */
  maxOptionsTradingLevel: optional(oneOf(0, 1, 2, 3)),
  disableOvernightTrading: boolean(),
})
export type AccountConfig = ValueOf<typeof accountConfigSchema>

export const DEFAULT_CONFIG: AccountConfig = {
  fractionalTrading: true,
  maxMarginMultiplier: 4,
  noShorting: false,
  suspendTrade: false,
  tradeConfirmEmail: 'all',
  ptpNoExceptionEntry: false,
  disableOvernightTrading: false,
}

export const configOf = ({ config }: { readonly config?: AccountConfig }): AccountConfig =>
  config ?? DEFAULT_CONFIG
