import type { IncomingMessage } from 'node:http'
import { PROVIDER_PATH, SECRET_HEADER } from '@quipu/broker/cluster/ask-node.ts'
import type { Cluster } from '@quipu/broker/cluster/cluster.ts'
import { MAIN } from '@quipu/broker/registry/worlds.ts'
import type { AssetClass } from '@quipu/core'
import type { Reason } from '../../wire/refusal.ts'
import { isSecret } from './peer.ts'

const classes = ['usEquity', 'crypto'] as const satisfies readonly AssetClass[]

/** Whether another node requests a stream of the market data provider. */
export const isProviderPath = (endpoint: string): boolean => endpoint.startsWith(PROVIDER_PATH)

type Requested =
  | { readonly ok: true; readonly of: AssetClass }
  | { readonly ok: false; readonly refusal: Reason }

/** The asset class of a stream that another node requests. Only the node that holds `main` has the streams. */
export function providerStreamOf(
  cluster: Cluster,
  { headers }: IncomingMessage,
  endpoint: string,
): Requested {
  const of = classes.find((one) => endpoint === PROVIDER_PATH + one)
  if (!isSecret(headers[SECRET_HEADER], cluster.secret)) return { ok: false, refusal: { code: 'forbidden' } }
  if (!of) return { ok: false, refusal: { code: 'endpointNotFound' } }
  return cluster.locations.isHere(MAIN) ? { ok: true, of } : { ok: false, refusal: { code: 'worldStopped' } }
}
