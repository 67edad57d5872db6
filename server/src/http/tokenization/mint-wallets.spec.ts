import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulatedChain } from '@quipu/broker/chain/simulated.ts'
import { builtinIssuer, setUpIssuers } from '@quipu/broker/issuer/builtin.ts'
import { makeRunJob } from '@quipu/broker/world/jobs.ts'
import { buy, decided } from '@quipu/broker/world/testing/world.ts'
import type { Instant, IssuerCode } from '@quipu/core'
import { call, openTestServer, type TestServer } from '../testing/server.ts'
import { tokenizationHandlers } from './tokenization.ts'

type Test = { after(run: () => Promise<void>): void }
type Rule = 'lenient' | 'strict'

const REDEMPTION = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

/** A server whose first account holds ten shares of AAPL; its issuer has a redemption wallet on Base. */
async function openServer(t: Test, addresses: Rule): Promise<TestServer> {
  const chain = simulatedChain({ addresses })
  const server = await openTestServer({
    handlers: tokenizationHandlers({ chain }),
    runJob: makeRunJob({ chain, issuer: builtinIssuer(chain) }),
  })
  t.after(() => server.close())
  const { world, accountId, clock } = server
  const [partnerId] = world.view.partners.keys()
  await setUpIssuers(world, { partnerId: partnerId!, link: [accountId] })
  const { code, name, accountId: custodyId, listings } = world.view.issuers.get('xstocks' as IssuerCode)!
  const redemptionWallets = new Map([['base', REDEMPTION]])
  const command = {
    kind: 'registerIssuer',
    code,
    name,
    accountId: custodyId,
    listings,
    redemptionWallets,
  } as const
  assert.ok((await decided(world, command)).ok)
  assert.ok((await decided(world, buy(world.view.accounts.get(accountId)!, 'AAPL', '10'))).ok)
  await clock.advance((clock.now() + 1_000_000_000n) as Instant)
  return server
}

const good = '0x52908400098527886e0f7030069857d2e4169ee7'
const mistyped = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'

for (const [what, network, wallet, lenient, strict] of [
  ['a valid address', 'base', good, 200, 200],
  ['a valid address', 'solana', 'So11111111111111111111111111111111111111112', 200, 200],
  ['a made-up address', 'base', 'my-wallet', 200, 422],
  ['an address of another network', 'tron', good, 200, 422],
  ['a mistyped address', 'base', mistyped, 200, 422],
  ['the zero address', 'base', `0x${'0'.repeat(40)}`, 422, 422],
  ['the zero address', 'solana', '1'.repeat(32), 422, 422],
  ['the redemption wallet', 'base', REDEMPTION, 422, 422],
  ['the redemption wallet in lower case', 'base', REDEMPTION.toLowerCase(), 422, 422],
  ['the redemption wallet of another network', 'ethereum', REDEMPTION, 200, 200],
] as const)
  for (const [rule, status] of [
    ['lenient', lenient],
    ['strict', strict],
  ] as const)
    test(`${rule}: a mint on ${network} to ${what} returns ${status}`, async (t) => {
      const server = await openServer(t, rule)
      const before = server.world.view.seq
      const { status: received, body } = await call(server, 'POST /v2/tokenization/mint', {
        key: server.key,
        body: { underlying_symbol: 'AAPL', qty: '1', issuer: 'xstocks', network, wallet_address: wallet },
      })
      assert.equal(received, status, JSON.stringify(body))
      if (status === 200) return
      assert.match(body.message, /^invalid wallet address for network /)
      assert.equal(server.world.view.seq, before)
    })
