interface QuipuMatchers<R> {
  /** Exactly one order of the world has this client order id. */
  toHaveOneOrder(clientOrderId: string, accountId?: string): Promise<R>
  /** The account has this signed quantity of the symbol. */
  toHaveNetPosition(symbol: string, quantity: number | string, accountId?: string): Promise<R>
  /** The account has this cash, to the cent. */
  toHaveCash(dollars: number | string, accountId?: string): Promise<R>
  /** The program of the account knows of all its fills. */
  toHaveNoUnacknowledgedFill(accountId?: string): Promise<R>
}

declare global {
  namespace jest {
    // For @types/jest.
    interface Matchers<R> extends QuipuMatchers<R> {}
  }
}

declare module 'expect' {
  // For @jest/globals.
  interface Matchers<R> extends QuipuMatchers<R> {}
}

export {}
