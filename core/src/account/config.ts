/** What an account's owner has chosen. */
export type AccountConfig = {
  /** Shares in parts, and dollars instead of shares. */
  readonly fractionalTrading: boolean
  /** The most that margin may multiply; 1 is no margin at all. */
  readonly maxMarginMultiplier: 1 | 2 | 4
  readonly noShorting: boolean
  /** New orders are refused. */
  readonly suspendTrade: boolean
  readonly tradeConfirmEmail: 'all' | 'none'
  readonly ptpNoExceptionEntry: boolean
  /** Absent: as far as the account is approved. */
  readonly maxOptionsTradingLevel?: 0 | 1 | 2 | 3
  readonly disableOvernightTrading: boolean
}

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
