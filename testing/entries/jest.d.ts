// For `expect` of @types/jest. For `expect` of @jest/globals import '@quipu/testing/jest-globals'.
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
    // biome-ignore lint/complexity/noBannedTypes: @types/jest declares the parameters this way
    interface Matchers<R, T = {}> extends QuipuMatchers<R> {}
  }
}

export {}
