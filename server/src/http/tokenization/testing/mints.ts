import assert from 'node:assert/strict'
import { simulatedChain } from '@quipu/broker/chain/simulated.ts'
import { builtinIssuer, setUpIssuers } from '@quipu/broker/issuer/builtin.ts'
import type { TokenIssuer } from '@quipu/broker/issuer/issuer.ts'
import { makeRunJob } from '@quipu/broker/world/jobs.ts'
import { buy, decided } from '@quipu/broker/world/testing/world.ts'
import { definedFields, type Instant } from '@quipu/core'
import { oauthHandlers } from '../../oauth/oauth.ts'
import { type Called, call, openTestServer, type TestServer } from '../../testing/server.ts'
import { tokenizationHandlers } from '../tokenization.ts'

type Test = { after(run: () => Promise<void>): void }
const chain = simulatedChain()

/** A server whose first account holds ten shares of AAPL and may mint. */
export async function openMints(
  t: Test,
  issuer: Partial<TokenIssuer> = {},
  issuerWaitMs?: number,
): Promise<TestServer> {
  const server = await openTestServer({
    handlers: {
      ...oauthHandlers,
      ...tokenizationHandlers({ chain, ...definedFields({ issuerWaitMs }) }),
    },
    runJob: makeRunJob({ chain, issuer: { ...builtinIssuer(chain), ...issuer } }),
  })
  t.after(() => server.close())
  const { world, accountId, clock } = server
  const [partnerId] = world.view.partners.keys()
  await setUpIssuers(world, { partnerId: partnerId!, link: [accountId] })
  assert.ok((await decided(world, buy(world.view.accounts.get(accountId)!, 'AAPL', '10'))).ok)
  await clock.advance((clock.now() + 1_000_000_000n) as Instant)
  return server
}

export const wallet = '0x52908400098527886e0f7030069857d2e4169ee7'
export const plain = {
  underlying_symbol: 'AAPL',
  qty: '1.50',
  issuer: 'xstocks',
  network: 'base',
  wallet_address: wallet,
}

type Options = { readonly idempotency?: string; readonly key?: TestServer['key'] }

export const mint = (
  server: TestServer,
  patch: object = {},
  { idempotency, key = server.key }: Options = {},
) =>
  call(server, 'POST /v2/tokenization/mint', {
    key,
    body: { ...plain, ...patch },
    headers: idempotency === undefined ? {} : { 'idempotency-key': idempotency },
  })
export const read = (server: TestServer, path: string, key = server.key): Promise<Called> =>
  call(server, `GET /v2/tokenization/${path}`, { key })
export const rows = async (server: TestServer): Promise<number> =>
  (await read(server, 'requests')).body.length
export const held = ({ world, accountId }: TestServer): bigint =>
  world.view.positions.get(accountId)?.get('AAPL' as never)?.quantity ?? 0n
