import 'expect'

interface QuipuMatchers {
  /** Exactly one order of the world has this client order id. */
  toHaveOneOrder(clientOrderId: string, accountId?: string): Promise<void>
  /** The account has this signed quantity of the symbol. */
  toHaveNetPosition(symbol: string, quantity: number | string, accountId?: string): Promise<void>
  /** The account has this cash, to the cent. */
  toHaveCash(dollars: number | string, accountId?: string): Promise<void>
  /** The program of the account knows of all its fills. */
  toHaveNoUnacknowledgedFill(accountId?: string): Promise<void>
}

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends QuipuMatchers {}
}
