import type { Client, ClientOptions } from '@quipu/sdk'
import type { GatewayKeyPair } from '../gateway/keys.ts'

/** The account that a run is measured by. */
export type Measured = { readonly operator: Client; readonly world: string; readonly accountId: string }

/** The account, and how it reaches the broker itself. */
export type MeasuredTrader = Measured & {
  readonly endpoint: Pick<ClientOptions, 'url' | 'fetch'>
  readonly account: GatewayKeyPair
}
