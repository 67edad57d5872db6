import assert from 'node:assert/strict'
import { execute, issueKey, type KeyPair } from '@quipu/broker/access/issue-keys.ts'
import { simulatedChain } from '@quipu/broker/chain/simulated.ts'
import { builtinIssuer, builtinIssuers } from '@quipu/broker/issuer/builtin.ts'
import { issuerTokens } from '@quipu/broker/issuer/external.ts'
import { newSigningKey } from '@quipu/broker/issuer/signature.ts'
import { makeRunJob } from '@quipu/broker/world/jobs.ts'
import { buy, decided } from '@quipu/broker/world/testing/world.ts'
import type { AccountId, Instant, KeyId, Ticker } from '@quipu/core'
import { oauthHandlers } from '../../oauth/oauth.ts'
import { REDIRECT, registerTestApp } from '../../oauth/testing/apps.ts'
import type { Services } from '../../services.ts'
import { keyHandlers } from '../../sim/keys.ts'
import { type Called, type CallOptions, call, openTestServer, type TestServer } from '../../testing/server.ts'
import { issuerHandlers } from '../issuers.ts'
import { requestControlHandlers } from '../request-control.ts'
import { tokenizationHandlers } from '../tokenization.ts'
import { tokenizationBrokerHandlers } from '../tokenization-broker.ts'
import { type ExternalIssuer, openExternalIssuer, urlsOf } from './external-issuer.ts'

export type IssuerSide = { readonly accountId: AccountId; readonly key: KeyPair; readonly made: Called }

/**
 * A server with two participants who hold ten shares of AAPL each, and two external issuers. Both participants are
 * linked to st0x, the second by an external id; only the first is linked to ondo.
 */
export type TokenStage = TestServer & {
  readonly otherId: AccountId
  readonly externalIssuer: ExternalIssuer
  readonly st0x: IssuerSide
  readonly ondo: IssuerSide
  readonly foreignKey: KeyPair
  /** The headers with an OAuth token of the first participant. */
  readonly tokenHeaders: Record<string, string>
  as(key: KeyPair | undefined, route: string, options?: CallOptions): Promise<Called>
  mint(patch?: object, options?: CallOptions): Promise<Called>
  /** The AAPL shares of an account, in billionths. */
  sharesOf(accountId?: AccountId): bigint
  advance(seconds: number): Promise<void>
}

type Test = { after(run: () => Promise<void>): void }
export const EXTERNAL_ID = 'client-2'
export const WALLET = '0x52908400098527886e0f7030069857d2e4169ee7'
export const plainMint = {
  underlying_symbol: 'AAPL',
  qty: '1.50',
  issuer: 'st0x',
  network: 'base',
  wallet_address: WALLET,
} as const

export async function openTokenStage(
  t: Test,
  issuerWaitMs = 2000,
  limits: Partial<Services['limits']> = {},
): Promise<TokenStage> {
  const chain = simulatedChain()
  const server = await openTestServer({
    limits,
    handlers: {
      ...oauthHandlers,
      ...tokenizationHandlers({ chain, issuerWaitMs }),
      ...tokenizationBrokerHandlers({ chain, issuerWaitMs }),
      ...issuerHandlers({ tokensOf: issuerTokens, newSigningKey, builtinIssuers }),
      ...requestControlHandlers({ chain, issuerWaitMs }),
      listKeys: (input, context) => keyHandlers(context.services.worlds).listKeys(input, context),
    },
    runJob: makeRunJob({ chain, issuer: builtinIssuer(chain) }),
  })
  const externalIssuer = await openExternalIssuer()
  t.after(async () => {
    await externalIssuer.close()
    await server.close()
  })
  const { world, clock, accountId, partnerKey } = server
  const otherId = accountOf(server, server.otherKey)
  for (const id of [accountId, otherId])
    assert.ok((await decided(world, buy(world.view.accounts.get(id)!, 'AAPL', '10'))).ok)
  await clock.advance((clock.now() + 1_000_000_000n) as Instant)
  const st0x = await addIssuer(server, { issuer: 'st0x', api_key: 'the key', ...urlsOf(externalIssuer) })
  const ondo = await addIssuer(server, { issuer: 'ondo', ...urlsOf(externalIssuer) })
  await link(server, { account_id: accountId, issuer: 'st0x' })
  await link(server, { account_id: otherId, issuer: 'st0x', external_id: EXTERNAL_ID })
  await link(server, { account_id: accountId, issuer: 'ondo' })
  const stranger = await execute(world, { kind: 'addPartner', name: 'Stranger' }, 'partnerAdded')
  const as: TokenStage['as'] = (key, route, options) => call(server, route, { key, ...options })
  return {
    ...server,
    otherId,
    externalIssuer,
    st0x,
    ondo,
    foreignKey: await issueKey(world, { kind: 'partner', partnerId: stranger.partnerId, operator: false }),
    tokenHeaders: { authorization: `Bearer ${await tokenFor(server)}` },
    as,
    mint: (patch = {}, options = {}) =>
      call(server, `POST /v1/accounts/${accountId}/tokenization/mint`, {
        key: partnerKey,
        body: { ...plainMint, ...patch },
        ...options,
      }),
    sharesOf: (id = accountId) => world.view.positions.get(id)?.get('AAPL' as Ticker)?.quantity ?? 0n,
    async advance(seconds) {
      await clock.advance((clock.now() + BigInt(seconds) * 1_000_000_000n) as Instant)
      await world.commands.quiet()
    },
  }
}

function accountOf({ world }: TestServer, { keyId }: KeyPair): AccountId {
  const owner = world.view.keys.get(keyId as KeyId)?.owner
  assert.ok(owner?.kind === 'account')
  return owner.accountId
}

const sim = '/sim/v1/worlds/lab/tokenization'

export async function addIssuer(server: TestServer, body: object): Promise<IssuerSide> {
  const made = await call(server, `POST ${sim}/issuers`, { key: server.operatorKey, body })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { account_id: accountId, key_id: keyId, secret_key: secretKey } = made.body
  return { accountId, key: { keyId, secretKey }, made }
}

export async function link(server: TestServer, body: object): Promise<Called> {
  const made = await call(server, `POST ${sim}/links`, { key: server.operatorKey, body })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made
}

async function tokenFor({ world, accountId, partnerKey, url }: TestServer): Promise<string> {
  const { clientId, secret } = await registerTestApp(world)
  const body = {
    client_id: clientId,
    client_secret: secret,
    redirect_uri: REDIRECT,
    scope: 'account:write trading data',
    account_id: accountId,
  }
  return (await call({ url }, 'POST /v1/oauth/token', { key: partnerKey, body })).body.access_token
}
